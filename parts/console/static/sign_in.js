// The dialog to sign in.
import { html, useState } from "./lib.js";
import { question, signIn, use } from "./session.js";
import { Check, Dialog, Problem, Text } from "./ui.js";

export function SignIn() {
  const dialog = question.use();
  const [name, setName] = useState("");
  const [secret, setSecret] = useState("");
  const [keep, setKeep] = useState(false);
  if (!dialog) return null;
  const send = (event) => {
    event.preventDefault();
    use(name.trim(), secret, keep);
    setSecret("");
  };
  if (signIn === "session") {
    return html`<${Dialog} title="Sign in again">
      <${Problem} error=${dialog.error} />
      <p>Sign in to the application in another tab, then go on here. Nothing that you have typed is lost.</p>
      <div class="actions"><button class="main" onClick=${() => use("", "", false)}>Go on</button></div>
    <//>`;
  }
  return html`<${Dialog} title="Sign in">
    <form onSubmit=${send}>
      <${Problem} error=${dialog.error} />
      <${Text} label="Name" name="name" value=${name} change=${setName} hint="The name of a credential. Leave it empty for a key." autocomplete="username" />
      <${Text} label="Secret or key" name="secret" type="password" value=${secret} change=${setSecret} autocomplete="current-password" autofocus=${Boolean(dialog.error || name)} required />
      <${Check} label="Keep me signed in until this tab is closed" value=${keep} change=${setKeep} />
      <div class="actions"><button class="main">Sign in</button></div>
    </form>
  <//>`;
}
