import type { PermNode } from '@oms/contract/permission-tree.ts'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { GrantTree } from '#kit/tree/grant-tree.tsx'
import { openTab, startServer } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const node = (id: number, type: PermNode['type'], name: string, children: PermNode[] = []): PermNode => ({
  id,
  parentId: 0,
  name,
  type,
  perms: '',
  url: '',
  status: 1,
  grantable: type !== 'M',
  children,
})
const MENUS = [node(1, 'M', '系统管理', [node(2, 'C', '用户管理', [node(3, 'F', '新增'), node(4, 'F', '删除')])])]

function OpenTree({ initial }: { initial: readonly number[] }) {
  const [held, setHeld] = useState(initial)
  return <GrantTree menus={MENUS} value={held} onChange={setHeld} />
}

const checkbox = (name: string) =>
  [...document.querySelectorAll('.ant-tree-treenode')]
    .find((row) => row.querySelector('.ant-tree-title')?.textContent?.trim() === name)!
    .querySelector<HTMLElement>('.ant-tree-checkbox')!
const stateOf = (name: string) => checkbox(name).getAttribute('aria-checked')
const isDisabled = (name: string) => checkbox(name).classList.contains('ant-tree-checkbox-disabled')

test('the permission tree half-checks a page with some granted buttons, with levels linked or unlinked', async () => {
  startServer({})
  tab = openTab(<OpenTree initial={[2, 3]} />)
  await page.getByRole('button', { name: '全部收起' }).click()
  await page.getByRole('button', { name: '全部展开' }).click()
  await expect
    .poll(() => [stateOf('系统管理'), stateOf('用户管理'), stateOf('新增')])
    .toEqual(['mixed', 'mixed', 'true'])
  await page.getByRole('checkbox', { name: '父子联动' }).click()
  await expect.poll(() => isDisabled('用户管理')).toBe(true)
  expect([stateOf('系统管理'), stateOf('用户管理'), stateOf('新增')]).toEqual(['mixed', 'mixed', 'true'])
})

test('with unlinked levels, only single permissions can be selected, and the permission tree says so', async () => {
  startServer({})
  tab = openTab(<OpenTree initial={[2]} />)
  await page.getByRole('button', { name: '全部收起' }).click()
  await page.getByRole('button', { name: '全部展开' }).click()
  await page.getByRole('checkbox', { name: '父子联动' }).click()
  await expect.element(page.getByText(/父子联动已关闭/)).toBeVisible()
  expect(['系统管理', '用户管理', '访问页面', '新增'].map(isDisabled)).toEqual([true, true, false, false])
  checkbox('新增').click()
  await expect.poll(() => stateOf('新增')).toBe('true')
  checkbox('删除').click()
  await expect.poll(() => [stateOf('用户管理'), stateOf('系统管理')]).toEqual(['true', 'true'])
  await expect.element(page.getByText('已选 3 / 3')).toBeVisible()
})
