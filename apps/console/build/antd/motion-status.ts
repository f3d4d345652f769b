import type { Plugin } from 'vite'

const STATUS = /@rc-component[\\/]motion[\\/]es[\\/]hooks[\\/]useStatus\.js$/
const RESET = 'mountedRef.current = false;'

/**
 * Patches antd's animations to end when the page of a tab is hidden. An open dialog stays open without an animation.
 * Unpatched, the dialog of a page that is shown again starts an opening animation whose end is never handled: the
 * dialog keeps the classes of that animation and stays transparent. The build fails when the line is not found.
 */
export function motionStatus(): Plugin {
  let isPatched = false
  let isBuild = false
  return {
    name: 'motion-status',
    configResolved({ command }) {
      isBuild = command === 'build'
    },
    transform: {
      filter: { id: STATUS },
      handler(code) {
        if (code.split(RESET).length !== 2) this.error(`${RESET} is not found once in antd's animations any more`)
        isPatched = true
        return { code: code.replace(RESET, 'if (getStatus() !== STATUS_NONE) setStatus(STATUS_NONE);'), map: null }
      },
    },
    buildEnd(error) {
      if (isBuild && !error && !isPatched) this.error("antd's animations are not where they are patched")
    },
  }
}
