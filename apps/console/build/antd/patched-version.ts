import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

/** The antd version that the patches in this folder were made for. README.md lists the steps for another version. */
export const PATCHED_VERSION = '6.6.8'

/** Stops build and development server when another antd version is installed. */
export function assertPatchedVersion(): Plugin {
  return {
    name: 'antd-patched-version',
    configResolved() {
      const installed = (createRequire(import.meta.url)('antd/package.json') as { version: string }).version
      if (installed !== PATCHED_VERSION)
        throw new Error(
          `antd ${installed} is installed, but build/antd is made for ${PATCHED_VERSION}: see build/antd/README.md`,
        )
    },
  }
}
