import type { Plugin } from 'vite'

const DIALOG = /@rc-component[\\/]dialog[\\/]es[\\/]Dialog[\\/]index\.js$/
const CALL = 'contentRef.current?.focus()'

/**
 * Patches antd's dialog to check that its content element has `focus`. In a tab that is shown again the element
 * briefly lacks `focus`, and the unchecked call removed the whole page. The build fails when the call is not found.
 */
export function dialogFocus(): Plugin {
  let isPatched = false
  let isBuild = false
  return {
    name: 'dialog-focus',
    configResolved({ command }) {
      isBuild = command === 'build'
    },
    transform: {
      filter: { id: DIALOG },
      handler(code) {
        if (!code.includes(CALL)) this.error(`${CALL} is not found in antd's dialog any more`)
        isPatched = true
        return { code: code.replace(CALL, 'contentRef.current?.focus?.()'), map: null }
      },
    },
    buildEnd(error) {
      if (isBuild && !error && !isPatched) this.error("antd's dialog is not where it is patched")
    },
  }
}
