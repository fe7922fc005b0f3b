const [field, html, text] = arguments;
const data = new DataTransfer();
data.setData("text/plain", text);
if (html) data.setData("text/html", html);
field.focus();
const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
field.dispatchEvent(event);
return event.defaultPrevented;
