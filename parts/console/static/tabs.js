// A link that is opened in a new tab: with Ctrl, Cmd or Shift, or the middle button.
import { openTab, signIn } from "./session.js";

function openLink(event) {
  const link = event.target.closest('a[href^="#/"]');
  const isNewTab = event.button === 1 || (event.button === 0 && (event.ctrlKey || event.metaKey || event.shiftKey));
  // If a blocker of pop-ups refuses it, the browser opens the tab itself, which asks to sign in.
  if (link && isNewTab && openTab(link.href)) event.preventDefault();
}

if (signIn === "credentials") for (const type of ["click", "auxclick"]) addEventListener(type, openLink);
