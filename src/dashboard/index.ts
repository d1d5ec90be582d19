/**
 * dashboard: the page at /dashboard.
 *
 * One page with its scripts and styles, bundled from web/ by `npm run build` and served from memory. It has nothing
 * of its own to say: whatever it shows, it asks of the same REST answers and event stream that everybody may ask.
 * Nothing is loaded from elsewhere, which a strict Content-Security-Policy holds it to.
 */
export { DashboardModule } from './dashboard.module.js';
export { BUILT_PAGE_FOLDER } from './page-files.js';
