/// <reference types="vite/client" />
declare module 'virtual:antd/*.css'
/** Only in tests: antd's complete style sheet, and the style sheets of a build in two orders. */
declare module 'virtual:antd-style-sheets' {
  export const complete: string
  export const built: { readonly forward: readonly string[]; readonly backward: readonly string[] }
}
/** Version of this build. `/version.json` returns the version that is installed. */
declare const __VERSION__: string
