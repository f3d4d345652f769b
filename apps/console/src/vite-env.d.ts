/// <reference types="vite/client" />
declare module 'virtual:antd/*.css'
/** The build's own version: what /version.json answers until a newer one is installed. */
declare const __VERSION__: string
