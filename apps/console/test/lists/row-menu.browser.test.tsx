import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { RowActions } from '#kit/list/row-actions.tsx'
import { openTab, startServer } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const label = (name: string) => ({ label: name, onClick: () => {} })
const scroller = () => document.querySelector<HTMLElement>('[data-scroller]')!
const menu = () => page.getByRole('menuitem', { name: '删除' })
const nextFrame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))

function openRow() {
  startServer({})
  tab = openTab(
    <div data-scroller style={{ height: 200, overflow: 'auto' }}>
      <div style={{ height: 300 }} />
      <RowActions items={['详情', '编辑', '停用', '删除'].map(label)} />
      <div style={{ height: 900 }} />
    </div>,
  )
}

test('a row menu that is opened right after a scroll stays open when the browser reports the scroll', async () => {
  openRow()
  const more = page.getByRole('button', { name: '更多' })
  await expect.element(more).toBeInTheDocument()
  scroller().scrollTop = 240
  ;(more.element() as HTMLElement).click()
  await nextFrame()
  await expect.element(menu()).toBeVisible()
})

test('a row menu closes when its button scrolls out of view', async () => {
  openRow()
  await page.getByRole('button', { name: '更多' }).click()
  await expect.element(menu()).toBeVisible()
  await nextFrame()
  scroller().scrollTop += 40
  await expect.element(menu()).not.toBeInTheDocument()
})

test('a row menu closes without an error when the size of the window changes', async () => {
  openRow()
  await page.getByRole('button', { name: '更多' }).click()
  await expect.element(menu()).toBeVisible()
  dispatchEvent(new Event('resize'))
  await expect.element(menu()).not.toBeInTheDocument()
  expect(tab?.errors).toEqual([])
})

test('a disabled entry of a row menu shows the reason below its label', async () => {
  startServer({})
  const items = ['详情', '编辑', '停用'].map(label)
  tab = openTab(<RowActions items={[...items, { ...label('删除'), reason: '已被引用，不能删除' }]} />)
  await page.getByRole('button', { name: '更多' }).click()
  await expect.element(page.getByText('已被引用，不能删除')).toBeVisible()
  await expect.element(page.getByRole('menuitem', { name: '删除', exact: true })).toBeDisabled()
})
