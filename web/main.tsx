import { render } from 'preact';
import './styles/index.css';
import { App } from './app.js';

const page = document.getElementById('page');
if (page !== null) {
  page.textContent = '';
  render(<App />, page);
}
