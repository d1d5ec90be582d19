export function NodesTab() {
  return <p>nodes</p>;
}
