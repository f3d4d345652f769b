import type { App, ModalFuncProps } from 'antd'
import { storeOf } from './store.ts'

/** Questions and notices in the corner, as antd's `App.useApp` gives them. */
export type Overlays = Pick<ReturnType<typeof App.useApp>, 'modal' | 'notification'>
type Dialog = ReturnType<Overlays['modal']['confirm']>

/** Whether something is to be shown above the page: its code is fetched then, or once the screen is quiet. */
export const overlaysWanted = storeOf(false)

let overlays: Overlays | undefined
let waiting: ((shown: Overlays) => void)[] = []

/** Gives the overlays their place on the screen; what was asked for before is shown now. */
export function bindOverlays(arrived: Overlays) {
  overlays = arrived
  const asked = waiting
  waiting = []
  for (const show of asked) show(arrived)
}

function show(run: (shown: Overlays) => void) {
  if (overlays) return run(overlays)
  waiting.push(run)
  overlaysWanted.set(true)
}

/** A dialog one can change, close and wait for at once, although it may be shown a moment later. */
const opens =
  (kind: 'confirm' | 'warning' | 'info') =>
  (words: ModalFuncProps): Dialog => {
    if (overlays) return overlays.modal[kind](words)
    const opened = new Promise<{ dialog: Dialog }>((done) => show(({ modal }) => done({ dialog: modal[kind](words) })))
    const answer = opened.then(({ dialog }) => dialog as unknown as PromiseLike<boolean>)
    const ways = {
      update: (next: Parameters<Dialog['update']>[0]) => void opened.then(({ dialog }) => dialog.update(next)),
      destroy: () => void opened.then(({ dialog }) => dialog.destroy()),
    }
    return Object.assign(answer, ways) as unknown as Dialog
  }

/** antd's questions, from anywhere, also outside React. */
export const dialogs = { confirm: opens('confirm'), warning: opens('warning'), info: opens('info') }

type Notifications = Overlays['notification']
type Notice = Parameters<Notifications['open']>[0]

/** antd's notices in the corner of the window, from anywhere. */
export const notification = {
  open: (notice: Notice) => show((shown) => shown.notification.open(notice)),
  destroy: (key: string) => show((shown) => shown.notification.destroy(key)),
}
