export function CallsTab() {
  return <p>calls</p>;
}
