export function TimelineTab() {
  return <p>timeline</p>;
}
