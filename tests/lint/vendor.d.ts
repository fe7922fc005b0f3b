// What the script in vendor/ adds to the window.
interface Window {
  htmPreact: any;
}
