import { agentHistory } from '@oms/contract/agent/history/history.ts'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { ok, openTab, refusal } from '#test/browser-harness.tsx'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { MemoryPanel } from '#modules/agent/history/memory-panel.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

interface Row {
  readonly id: number
  readonly name: string
}
const ROWS: readonly Row[] = [
  { id: 1, name: '客厅' },
  { id: 2, name: '卧室' },
]

/** List of two devices with their drawer. */
function Devices() {
  const [shown, setShown] = useState<Row>()
  return (
    <>
      <button type="button" onClick={() => setShown(ROWS[0])}>
        打开
      </button>
      <DetailDrawer rows={ROWS} rowKey="id" row={shown} onRow={(row) => setShown(row)} title={({ name }) => name}>
        {({ id }) => <MemoryPanel key={id} of={{ deviceId: id }} />}
      </DetailDrawer>
    </>
  )
}

/** Opens the memory of a device. `change` replaces the stored memory, as a conversation does. */
async function openMemory() {
  let memory = '喜欢画画'
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  server.on(agentHistory.memory, () => ok({ memory, isShared: false }))
  server.on(agentHistory.saveMemory, (input) => {
    const { memory: next, before } = input as { memory: string; before?: string }
    if (before !== undefined && before !== memory) return refusal(400, '记忆已被对话更新', { field: 'memory' })
    memory = next
    return ok(null, next === '' ? '已清除' : '已保存')
  })
  tab = openTab(<Devices />)
  await press('打开')
  await expect.element(text()).toHaveValue(memory)
  return { change: (next: string) => void (memory = next), stored: () => memory }
}

const text = () => page.getByLabelText('记忆')
const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
const save = () => press(/^(loading )?保\s?存$/)
const discardDialog = () => page.getByText('放弃未保存的内容？').last()

test('a refused save shows the latest memory, and the typed text can be saved after 保留我的修改', async () => {
  const { change, stored } = await openMemory()
  await text().fill('喜欢画画和足球')
  change('喜欢唱歌')
  await save()
  await expect.element(page.getByText('喜欢唱歌')).toBeVisible()
  await expect.element(text()).toHaveValue('喜欢画画和足球')
  await expect.element(page.getByRole('button', { name: /^(loading )?保\s?存$/ })).toBeDisabled()
  await press('保留我的修改')
  await expect.element(page.getByText('喜欢唱歌')).not.toBeInTheDocument()
  await save()
  await expect.poll(stored).toBe('喜欢画画和足球')
  await expect.poll(() => tab?.hasUnsavedTabs()).toBe(false)
})

test('the latest memory replaces the typed text only after a confirmation', async () => {
  const { change } = await openMemory()
  await text().fill('喜欢画画和足球')
  change('喜欢唱歌')
  await save()
  await press('使用最新')
  await page.getByRole('button', { name: '继续编辑' }).click()
  await expect.element(text()).toHaveValue('喜欢画画和足球')
  await press('使用最新')
  await press(/^替\s?换$/)
  await expect.element(text()).toHaveValue('喜欢唱歌')
  await expect.element(page.getByRole('button', { name: '使用最新' })).not.toBeInTheDocument()
})

test('Escape and the next record ask before typed text is discarded', async () => {
  const { change } = await openMemory()
  await text().fill('喜欢画画和足球')
  await userEvent.keyboard('{Escape}')
  await expect.element(discardDialog()).toBeVisible()
  await press('继续编辑')
  await expect.element(discardDialog()).not.toBeInTheDocument()
  await expect.element(text()).toHaveValue('喜欢画画和足球')
  change('喜欢唱歌')
  await press('下一条')
  await expect.element(discardDialog()).toBeVisible()
  await press(/^放\s?弃$/)
  await expect.element(page.getByRole('dialog', { name: '卧室' })).toBeVisible()
  await expect.element(text()).toHaveValue('喜欢唱歌')
  await expect.poll(() => tab?.hasUnsavedTabs()).toBe(false)
  await press('关闭')
  await expect.element(text()).not.toBeInTheDocument()
})

test('erasing empties the typed text and says that the memory is erased', async () => {
  const { stored } = await openMemory()
  await text().fill('喜欢画画和足球')
  await press('清除记忆')
  await press(/^清\s?除$/)
  await expect.element(page.getByText('已清除')).toBeVisible()
  await expect.element(text()).toHaveValue('')
  expect(stored()).toBe('')
})
