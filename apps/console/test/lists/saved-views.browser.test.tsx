import { notices } from '@oms/contract/system/notice.ts'
import { NoticeRow } from '@oms/contract/system/notice-rows.ts'
import { useLocation } from 'react-router'
import { afterEach, expect, test } from 'vitest'
import { useList } from '#kit/list/use-list.ts'
import { Page } from '#kit/record/page.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { pressButton, typeInto, waitUntil } from '#test/form-cases/page-driver.ts'
import { ok, openTab, startServer } from '../browser-harness.tsx'

const LIST = 'GET /api/v1/sys/notice/page'
const { col } = createColumns(NoticeRow)
const COLUMNS = [col('title', { width: 200 })]
const VIEWS = [{ name: '草稿', filters: { status: '0' } }]
const TOTALS: Record<string, number> = { '0': 3, '1': 40 }

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  localStorage.clear()
})

function NoticeList() {
  const list = useList(notices.list)
  return (
    <Page>
      <DataTable {...list.table} views={VIEWS} rowKey="noticeId" columns={COLUMNS} />
      <output>{useLocation().search}</output>
      <button type="button" onClick={() => list.search.onSearch({ status: '1', priority: '3' })}>
        查高优先级
      </button>
    </Page>
  )
}

function start(stored: object[] = []) {
  const saved = [...stored]
  const server = startServer({
    [LIST]: ({ status }) => ok({ list: [{ noticeId: 1, title: '停机通知' }], total: TOTALS[String(status)] ?? 99 }),
    'GET /api/v1/account/preference': () => ok({ list: [] }),
    'PUT /api/v1/account/preference': () => ok(null),
    'GET /api/v1/view/list': () => ok({ list: [...saved] }),
    'POST /api/v1/view': (input) => {
      saved.push({ ...input, id: 8, shared: false, isOwn: true, ownerName: '', rev: 0 })
      return ok({ id: 8 })
    },
  })
  tab = openTab(<NoticeList />)
  return server
}

const address = () => document.querySelector('output')?.textContent
const tabs = () => [...document.querySelectorAll<HTMLElement>('.kit-views-tabs a')]
const labels = () => tabs().map(({ textContent }) => textContent)
const active = () => tabs().find((each) => each.ariaCurrent === 'page')?.textContent
const chooseItem = async (name: string) => {
  document.querySelector<HTMLElement>('[aria-label="视图操作"]')?.click()
  await waitUntil(() => expect(document.querySelector('[role=menu]')).not.toBeNull())
  const items = [...document.querySelectorAll<HTMLElement>('[role=menuitem]')]
  items.find(({ textContent }) => textContent?.startsWith(name))?.click()
}

test('a view is a tab with the number of its rows, and the active tab follows the URL', async () => {
  const server = start()
  await waitUntil(() => expect(labels()).toEqual(['全部', '草稿3']))
  expect(active()).toBe('全部')
  expect(server.inputsOf(LIST).map(({ pageSize }) => pageSize)).toEqual(['20', '1'])
  tabs()[1]?.click()
  await waitUntil(() => expect(address()).toBe('?status=0'))
  await waitUntil(() => expect(active()).toBe('草稿3'))
  tabs()[0]?.click()
  await waitUntil(() => expect(address()).toBe(''))
})

test('a built-in view is hidden from the tabs, and stays in the menu', async () => {
  start()
  await waitUntil(() => expect(labels()).toHaveLength(2))
  tabs()[1]?.click()
  await waitUntil(() => expect(active()).toBe('草稿3'))
  await chooseItem('不显示为标签')
  tabs()[0]?.click()
  await waitUntil(() => expect(labels()).toEqual(['全部']))
  await chooseItem('草稿')
  await waitUntil(() => expect(address()).toBe('?status=0'))
  await chooseItem('显示为标签')
  await waitUntil(() => expect(labels()).toHaveLength(2))
})

test('an account saves the present filters as a view, and makes it the default of the list', async () => {
  const server = start()
  await waitUntil(() => expect(labels()).toHaveLength(2))
  pressButton('查高优先级')
  await waitUntil(() => expect(active()).toBeUndefined())
  pressButton('另存为视图')
  await waitUntil(() => typeInto('name', '高优先级'))
  pressButton('保存')
  await waitUntil(() => expect(active()).toBe('高优先级40'))
  expect(server.inputsOf('POST /api/v1/view')).toEqual([
    { page: '/', name: '高优先级', query: 'status=1&priority=3', columns: '{}' },
  ])
  await chooseItem('设为默认视图')
  tab?.close()
  start([{ id: 8, page: '/', name: '高优先级', query: 'status=1', columns: '{}', isOwn: true, shared: false, rev: 1 }])
  // The default opens with the present query of the view, which was changed since the choice.
  await waitUntil(() => expect(address()).toBe('?status=1'))
  await waitUntil(() => expect(active()).toBe('高优先级40'))
})
