export function OverviewTab() {
  return <p>overview</p>;
}
