import { textPatches } from './text-patches.ts'

/**
 * Patches antd's dialog to check that its content element has `focus`. In a tab that is shown again the element
 * briefly lacks `focus`, and the unchecked call removed the whole page.
 */
export const dialogFocus = () =>
  textPatches('dialog-focus', [
    {
      file: /@rc-component[\\/]dialog[\\/]es[\\/]Dialog[\\/]index\.js$/,
      from: 'contentRef.current?.focus()',
      to: 'contentRef.current?.focus?.()',
    },
  ])
