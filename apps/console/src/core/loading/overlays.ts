import type { App, ModalFuncProps } from 'antd'
import { createStore } from '#core/events/store.ts'

/** Dialogs and notifications of antd's `App.useApp`. */
export type Overlays = Pick<ReturnType<typeof App.useApp>, 'modal' | 'notification'>
type Dialog = ReturnType<Overlays['modal']['confirm']>

/** True when an overlay is requested; its code then loads at once instead of when idle. */
export const overlaysRequested = createStore(false)

let overlays: Overlays | undefined
let waiting: ((shown: Overlays) => void)[] = []

/** Registers the overlay API and shows the overlays that were requested before. */
export function registerOverlays(arrived: Overlays) {
  overlays = arrived
  const asked = waiting
  waiting = []
  for (const show of asked) show(arrived)
}

function show(run: (shown: Overlays) => void) {
  if (overlays) return run(overlays)
  waiting.push(run)
  overlaysRequested.set(true)
}

/** A dialog handle with update, destroy and await that can be used before the dialog is shown. */
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

/** antd's modal dialogs, usable outside React. */
export const dialogs = { confirm: opens('confirm'), warning: opens('warning'), info: opens('info') }

type Notifications = Overlays['notification']
type Notice = Parameters<Notifications['open']>[0]

/** antd's notifications, usable outside React. */
export const notification = {
  open: (notice: Notice) => show((shown) => shown.notification.open(notice)),
  destroy: (key: string) => show((shown) => shown.notification.destroy(key)),
}
