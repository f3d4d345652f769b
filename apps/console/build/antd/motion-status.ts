import { textPatches } from './text-patches.ts'

/**
 * Patches antd's animations to end when the page of a tab is hidden. An open dialog stays open without an animation.
 * Unpatched, the dialog of a page that is shown again starts an opening animation whose end is never handled: the
 * dialog keeps the classes of that animation and stays transparent.
 */
export const motionStatus = () =>
  textPatches('motion-status', [
    {
      file: /@rc-component[\\/]motion[\\/]es[\\/]hooks[\\/]useStatus\.js$/,
      from: 'mountedRef.current = false;',
      to: 'if (getStatus() !== STATUS_NONE) setStatus(STATUS_NONE);',
    },
  ])
