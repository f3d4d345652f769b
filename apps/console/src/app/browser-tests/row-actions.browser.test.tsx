import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { RowActions } from '#kit/list/row-actions.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { openTab } from './browser-harness.tsx'

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

test('a double press of a row action does not open the row, and a double click on a cell does', async () => {
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

test('an action with a reason is disabled and shows the reason', async () => {
  const onClick = vi.fn<() => void>()
  tab = openTab(<RowActions items={[{ label: '删除', reason: '已被引用，不能删除', onClick }]} />)
  const button = page.getByRole('button', { name: '删除' })
  await expect.element(button).toBeDisabled()
  await expect.element(button).toHaveAttribute('title', '已被引用，不能删除')
})
