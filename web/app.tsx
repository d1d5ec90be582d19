import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CallsTab } from './calls/calls-tab.js';
import { ChatTab } from './chat/chat-tab.js';
import { NodesTab } from './nodes/nodes-tab.js';
import { OverviewTab } from './overview/overview-tab.js';
import { ForgetKey, KeyForm } from './parts/key-form.js';
import { LiveSign } from './parts/live-sign.js';
import { ThemeChoice } from './parts/theme-choice.js';
import { TimelineTab } from './timeline/timeline-tab.js';
import { keyNeed } from './state/admin-key.js';
import { linkTo, place, TABS, type Tab } from './state/place.js';

const NAMES: Record<Tab, string> = {
  overview: 'Overview',
  calls: 'Call wall',
  nodes: 'Nodes',
  timeline: 'Timeline',
  chat: 'Try a chat',
};

const VIEWS: Record<Tab, ComponentType> = {
  overview: OverviewTab,
  calls: CallsTab,
  nodes: NodesTab,
  timeline: TimelineTab,
  chat: ChatTab,
};

export function App() {
  const { tab } = place.value;
  const View = VIEWS[tab];
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  return (
    <>
      <header class="top">
        <h1>Meshnet tracker</h1>
        <nav ref={tabs} class="tabs" aria-label="Parts of the dashboard">
          {TABS.map((name) => (
            <a key={name} href={linkTo(name)} aria-current={name === tab ? 'page' : undefined}>
              {NAMES[name]}
            </a>
          ))}
        </nav>
        <LiveSign />
        <ForgetKey />
        <ThemeChoice />
      </header>
      <main>{keyNeed.value === null ? <View /> : <KeyForm />}</main>
    </>
  );
}
