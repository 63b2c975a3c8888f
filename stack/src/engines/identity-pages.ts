const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { margin: 0; display: grid; min-height: 100vh; place-items: center; }
  main { width: min(22rem, 100vw - 3rem); }
  h1 { font-size: 1.3rem; margin: 0 0 .5rem; }
  p { margin: 0 0 1.2rem; opacity: .75; }
  label { display: block; font-weight: 600; margin-bottom: .3rem; }
  input, button { box-sizing: border-box; width: 100%; padding: .6rem .8rem; font: inherit; border-radius: .5rem; }
  input { border: 1px solid color-mix(in srgb, currentColor 35%, transparent); background: transparent; color: inherit; margin-bottom: .8rem; }
  button { border: 0; background: #2456d6; color: #fff; font-weight: 600; cursor: pointer; }
`

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<main>${content}</main>
</html>`
}

/** The sign-in page. */
export function signInPage(): string {
  return page(
    'Sign in · development',
    `<h1>Sign in</h1>
<p>This provider is for development: it accepts any name, without a password.</p>
<form method="post">
  <label for="name">E-mail</label>
  <input id="name" name="name" placeholder="ada@example.test" autocomplete="off" required autofocus>
  <button type="submit">Sign in</button>
</form>`,
  )
}

/** The sign-out page: submits its form at once; the button is for browsers without scripts. */
export function signOutPage(form: string): string {
  return page(
    'Sign out · development',
    `<h1>Signing out…</h1>
${form.replace('</form>', '<input type="hidden" name="logout" value="yes"><button type="submit">Sign out</button></form>')}
<script>document.forms[0].submit()</script>`,
  )
}
