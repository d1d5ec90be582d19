export function ChatTab() {
  return <p>chat</p>;
}
