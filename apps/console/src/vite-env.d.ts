/// <reference types="vite/client" />
declare module 'virtual:antd/*.css'
/** Version of this build. `/version.json` returns the version that is installed. */
declare const __VERSION__: string
