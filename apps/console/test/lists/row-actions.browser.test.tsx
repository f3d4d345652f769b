import { AdRow, ads } from '@oms/contract/advertise/ad.ts'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import * as z from 'zod'
import { RowActions } from '#kit/list/row-actions.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import AdListPage from '#modules/advertise/ads/ad-list.page.tsx'
import { buildFilledSample, createContractServer } from '#test/form-cases/contract-server.ts'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const noop = () => {}
const LIST = {
  total: 1,
  isEstimate: false,
  pageNum: 1,
  pageSize: 20,
  sort: undefined,
  pending: false,
  fetching: false,
  turning: false,
  refusal: null,
  filtered: false,
  onSort: noop,
  onClear: noop,
  onRefresh: noop,
}

test('a double press of a row action does not open the row; a double click on a cell opens the row', async () => {
  await page.viewport(1440, 900)
  const [onOpen, onSubmit] = [vi.fn<() => void>(), vi.fn<() => void>()]
  tab = openTab(
    <DataTable<{ id: number; name: string }>
      {...LIST}
      rows={[{ id: 1, name: '横幅' }]}
      query="1"
      rowKey="id"
      columns={[
        { key: 'name', title: '名称', width: 90, render: ({ name }) => name },
        {
          key: 'actions',
          title: '操作',
          width: 200,
          render: () => <RowActions items={[{ label: '提交审核', onClick: onSubmit }]} />,
        },
      ]}
      empty={{ text: '没有数据' }}
      onOpen={onOpen}
    />,
  )
  await page.getByRole('button', { name: '提交审核' }).dblClick()
  expect(onSubmit).toHaveBeenCalled()
  expect(onOpen).not.toHaveBeenCalled()
  await page.getByText('横幅').dblClick()
  expect(onOpen).toHaveBeenCalledOnce()
})

test('a row action with a refusal reason is disabled and shows the reason', async () => {
  const onClick = vi.fn<() => void>()
  tab = openTab(<RowActions items={[{ label: '删除', reason: '已被引用，不能删除', onClick }]} />)
  const button = page.getByRole('button', { name: '删除' })
  await expect.element(button).toBeDisabled()
  await expect.element(button).toHaveAccessibleDescription('已被引用，不能删除')
  await userEvent.tab()
  await expect.element(button).toHaveFocus()
  await expect.element(page.getByRole('tooltip')).toHaveTextContent('已被引用，不能删除')
})

test('a table renders the actions of each row once; the actions column is hidden without any permitted action', async () => {
  await page.viewport(1440, 900)
  const render = vi.fn<(row: { id: number }) => ReactNode>(({ id }) => <Wrapped id={id} />)
  const { actions } = createColumns(z.object({ id: z.number() }))
  const columns = [
    { key: 'id', title: '编号', width: 90, render: ({ id }: { id: number }) => id },
    actions(render, 160, [{ access: 'a:b:edit' }]),
  ]
  const table = <DataTable {...LIST} rows={[{ id: 1 }, { id: 2 }]} query="1" rowKey="id" columns={columns} />
  tab = openTab(table, ['a:b:list'])
  await expect.element(page.getByRole('columnheader', { name: '编号' })).toBeVisible()
  expect(render).not.toHaveBeenCalled()
  expect(page.getByRole('columnheader', { name: '操作' }).query()).toBeNull()
  tab.close()
  tab = openTab(table, ['a:b:edit'])
  await expect.element(page.getByRole('button', { name: '编辑 2' })).toBeVisible()
  expect(render.mock.calls.map(([{ id }]) => id)).toEqual([1, 2])
})

/** Actions of a row in a component of their own, as lists with hooks in their actions have them. */
const Wrapped = ({ id }: { id: number }) => (
  <RowActions items={[{ label: `编辑 ${id}`, to: { access: 'a:b:edit' }, onClick: noop }]} />
)

test('the actions of a draft ad fit on one line in a window of 1280 pixels', async () => {
  await page.viewport(1280, 720)
  const server = createContractServer(
    (fetch) => vi.stubGlobal('fetch', fetch),
    (schema) => buildFilledSample(schema),
  )
  const row = { ...(buildFilledSample(AdRow) as object), auditStatus: 0, isBeyondScope: 0, refCount: 0 }
  server.on(ads.list, () => ok({ list: [row], total: 1, pageNum: 1, pageSize: 20 }))
  tab = openTab(
    // The width of a page beside the sidebar.
    <div style={{ width: 1068 }}>
      <AdListPage />
    </div>,
  )
  await expect.element(page.getByRole('button', { name: '提交审核' })).toBeVisible()
  const tops = [...document.querySelectorAll('.kit-row-actions > *')].map((each) => each.getBoundingClientRect().top)
  expect(tops.length).toBe(3)
  expect(new Set(tops).size).toBe(1)
})
