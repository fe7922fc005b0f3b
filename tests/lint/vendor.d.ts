// What the script in vendor/ adds to the window.
interface Window {
  htmPreact: any;
}

declare module "*/prosemirror.js";
