import { accounts } from '@oms/contract/account/account-list.ts'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { RecordSelect } from '#kit/pickers/record-select.tsx'
import { UserPicker } from '#kit/pickers/user-picker.tsx'
import { ok, openTab } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const userOf = (uid: number, realname: string) => ({ uid, realname, account: `account${uid}`, mobileNo: '' })
const optionTexts = () => [...document.querySelectorAll('.ant-select-item-option')].map((item) => item.textContent)

test('the account picker offers only results of the typed text, and shows the name of the selected account after it', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const all = [userOf(3, '演示一'), userOf(4, '演示二')]
  server.on(accounts.search, ({ keyword }) => ok({ list: keyword === '演示二' ? [all[1]] : all, total: 2 }))
  function Screen() {
    const [uid, setUid] = useState<number | undefined>(2)
    return (
      <main>
        <UserPicker id="handler" value={uid} onChange={setUid} chosen={{ uid: 2, realname: '经办人' }} />
        <output>{uid}</output>
      </main>
    )
  }
  tab = openTab(<Screen />)
  await expect.element(page.getByText('经办人')).toBeVisible()
  await page.getByRole('combobox').click()
  await expect.poll(optionTexts).toContain('经办人')
  await userEvent.keyboard('演示二')
  await expect.poll(optionTexts).toEqual(['演示二 · account4'])
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('status')).toHaveTextContent('4')
  await expect.poll(() => document.querySelector('.ant-select-content')?.textContent).toContain('演示二')
})

test('a record select offers only results of the typed text', async () => {
  function Screen() {
    const [text, setText] = useState('')
    const source = {
      options: text === '' ? [{ value: 1, label: '甲' }] : [{ value: 2, label: '乙' }],
      read: { isFetching: false, error: null, refetch: () => {} },
      onSearch: setText,
    }
    return <RecordSelect value={9} chosen={{ id: 9, name: '已选' }} source={source} onChange={() => {}} />
  }
  tab = openTab(<Screen />)
  await expect.element(page.getByText('已选')).toBeVisible()
  await page.getByRole('combobox').click()
  await expect.poll(optionTexts).toEqual(['已选', '甲'])
  await userEvent.keyboard('乙')
  await expect.poll(optionTexts).toEqual(['乙'])
})

test('a record select shows an error and a retry when its options fail to load, and hides the create button', async () => {
  function Screen() {
    const [hasFailed, setFailed] = useState(true)
    const source = {
      options: hasFailed ? [] : [{ value: 1, label: '甲' }],
      read: { isFetching: false, error: hasFailed ? new Error('500') : null, refetch: () => setFailed(false) },
      onSearch: () => {},
    }
    return (
      <div style={{ width: 200 }}>
        <RecordSelect source={source} placeholder="请选择客户" create="tenant" onChange={() => {}} />
      </div>
    )
  }
  tab = openTab(<Screen />)
  await page.getByRole('combobox').click()
  await expect.element(page.getByRole('alert')).toHaveTextContent('选项加载失败重试')
  expect(document.querySelector('.kit-create-in-place')).toBeNull()
  await page.getByRole('button', { name: '重试' }).click()
  await expect.poll(optionTexts).toEqual(['甲'])
  await expect.poll(() => document.querySelector('.kit-create-in-place')?.textContent).toBe('新增客户')
})
