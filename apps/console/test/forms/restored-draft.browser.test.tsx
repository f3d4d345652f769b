import { Button } from 'antd'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { NoticeAddForm } from '#modules/system/notices/notice-form.tsx'
import { ok, openTab, startServer } from '#test/browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
  sessionStorage.clear()
})

const SAVE = 'POST /api/v1/sys/notice'

function NoticePage() {
  const [open, setOpen] = useState(false)
  return (
    <main>
      <Button onClick={() => setOpen(true)}>新增</Button>
      {open && <NoticeAddForm onClose={() => setOpen(false)} />}
    </main>
  )
}

async function openForm() {
  const server = startServer({
    [SAVE]: () => ok({ noticeId: 1 }, '新增成功'),
    'GET /api/v1/sys/dict/data/type/sys_notice_type': () => ok([]),
    'GET /api/v1/sys/notice/audience': () => ok({ count: 1 }),
  })
  tab?.close()
  tab = openTab(<NoticePage />)
  await page.getByRole('button', { name: '新增' }).click()
  await expect.element(title()).toBeVisible()
  return server
}
const title = () => page.getByRole('dialog').getByRole('textbox', { name: /标题/ })
const note = () => page.getByText('已恢复上次未保存的内容')

test('a form restored from a draft says so, and the user can discard the draft', async () => {
  await openForm()
  await expect.element(note()).not.toBeInTheDocument()
  await title().fill('停机维护')
  await openForm()
  await expect.element(note()).toBeVisible()
  await expect.element(title()).toHaveValue('停机维护')
  await page.getByRole('button', { name: '放弃并重新填写' }).click()
  await expect.element(title()).toHaveValue('')
  await expect.element(note()).not.toBeInTheDocument()
  await openForm()
  await expect.element(title()).toHaveValue('')
  await expect.element(note()).not.toBeInTheDocument()
})

test('closing a form restored from a draft asks before the text is lost', async () => {
  await openForm()
  await title().fill('停机维护')
  await openForm()
  await expect.element(note()).toBeVisible()
  await page.getByRole('button', { name: '取消' }).click()
  await expect.element(page.getByText('关闭后，本次填写的内容将丢失。')).toBeVisible()
})
