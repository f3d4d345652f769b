import { expect, test, vi } from 'vitest'

async function fresh() {
  vi.resetModules()
  return import('./overlays.ts')
}

/** Fake of antd's overlay API: records its calls and answers each dialog with 'yes'. */
function drawn() {
  const calls: string[] = []
  const ask = ({ title }: { title?: unknown }) => {
    calls.push(`ask ${String(title)}`)
    return Object.assign(Promise.resolve('yes'), {
      update: () => calls.push('update'),
      destroy: () => calls.push('destroy'),
    })
  }
  const open = ({ title }: { title?: unknown }) => calls.push(`tell ${String(title)}`)
  return { calls, overlays: { modal: { confirm: ask, warning: ask, info: ask }, notification: { open } } as never }
}

test('a dialog requested before the dialog code has loaded starts the load, and opens afterwards in order', async () => {
  const { registerOverlays, dialogs, notification, overlaysRequested } = await fresh()
  const { calls, overlays } = drawn()
  expect(overlaysRequested.get()).toBe(false)
  const first = dialogs.confirm({ title: 'first' })
  notification.open({ title: 'second' })
  expect(overlaysRequested.get()).toBe(true)
  expect(calls).toEqual([])
  first.update({})
  registerOverlays(overlays)
  expect(calls).toEqual(['ask first', 'tell second'])
  expect(await first).toBe('yes')
  expect(calls).toEqual(['ask first', 'tell second', 'update'])
})

test('a dialog requested after the dialog code has loaded opens at once', async () => {
  const { registerOverlays, dialogs } = await fresh()
  const { calls, overlays } = drawn()
  registerOverlays(overlays)
  dialogs.warning({ title: 'now' }).destroy()
  expect(calls).toEqual(['ask now', 'destroy'])
})
