// What the scripts in vendor/ add to the window.
interface Window {
  preact: any;
  preactHooks: any;
  htm: any;
}
