import { copyToClipboard } from '#kit/record/copy-to-clipboard.ts'
import { buildServerConfig } from './server-config.ts'

/** Copies the lines that connect a voice server to this installation. */
export const copyVoiceServerConfig = (secret: string) =>
  copyToClipboard(buildServerConfig(globalThis.location.origin, secret))
