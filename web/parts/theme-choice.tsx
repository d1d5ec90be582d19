import { theme, THEMES, type Theme } from '../state/theme.js';

const NAMES: Record<Theme, string> = { auto: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' };

export function ThemeChoice() {
  return (
    <select
      aria-label="Theme"
      value={theme.value}
      onChange={({ currentTarget }) => {
        theme.value = THEMES.find((known) => known === currentTarget.value) ?? 'auto';
      }}
    >
      {THEMES.map((name) => (
        <option key={name} value={name}>
          {NAMES[name]}
        </option>
      ))}
    </select>
  );
}
