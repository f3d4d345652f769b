import { expect, test, vi } from 'vitest'

async function fresh() {
  vi.resetModules()
  return import('./overlays.ts')
}

/** What antd would give: it notes what it was asked to show, and answers each question with 'yes'. */
function drawn() {
  const told: string[] = []
  const ask = ({ title }: { title?: unknown }) => {
    told.push(`ask ${String(title)}`)
    return Object.assign(Promise.resolve('yes'), {
      update: () => told.push('update'),
      destroy: () => told.push('destroy'),
    })
  }
  const open = ({ title }: { title?: unknown }) => told.push(`tell ${String(title)}`)
  return { told, overlays: { modal: { confirm: ask, warning: ask, info: ask }, notification: { open } } as never }
}

test('what is asked before the code is here fetches it, and is shown in order once it is', async () => {
  const { bindOverlays, dialogs, notification, overlaysWanted } = await fresh()
  const { told, overlays } = drawn()
  expect(overlaysWanted.get()).toBe(false)
  const first = dialogs.confirm({ title: 'first' })
  notification.open({ title: 'second' })
  expect(overlaysWanted.get()).toBe(true)
  expect(told).toEqual([])
  first.update({})
  bindOverlays(overlays)
  expect(told).toEqual(['ask first', 'tell second'])
  expect(await first).toBe('yes')
  expect(told).toEqual(['ask first', 'tell second', 'update'])
})

test('once it is here, a question opens at once', async () => {
  const { bindOverlays, dialogs } = await fresh()
  const { told, overlays } = drawn()
  bindOverlays(overlays)
  dialogs.warning({ title: 'now' }).destroy()
  expect(told).toEqual(['ask now', 'destroy'])
})
