import type { JobRow } from '@oms/contract/system/job.ts'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import { showJobNotification } from '#kit/jobs/job-notification.tsx'
import { openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const job = (jobId: number, title: string, rows: number): JobRow => ({
  jobId,
  title,
  state: 'done',
  percent: 100,
  error: '',
  rows,
  file: null,
  report: null,
  createTime: '2026-01-01 00:00:00',
  finishTime: null,
})
const notices = () => [...document.querySelectorAll<HTMLElement>('.ant-notification-notice')]
const textOf = (title: string) => notices().find(({ textContent }) => textContent?.includes(title))?.textContent

test('results with the same title share one notification at the bottom right, until the user closes it', async () => {
  await page.viewport(1280, 720)
  tab = openTab(null)
  showJobNotification(job(1, '导入设备', 1))
  showJobNotification(job(2, '导入客户', 5))
  showJobNotification(job(3, '导入设备', 2))
  await waitUntil(() => expect(textOf('导入设备完成')).toBe('导入设备完成（2 次）最近一次：共 2 条'))
  expect(notices().filter(({ textContent }) => textContent?.includes('导入设备'))).toHaveLength(1)
  expect(textOf('导入客户完成')).toBe('导入客户完成共 5 条')
  for (const notice of notices()) expect(notice.getBoundingClientRect().left).toBeGreaterThan(innerWidth / 2)
  for (const notice of notices()) notice.querySelector<HTMLElement>('.ant-notification-notice-close')?.click()
  await waitUntil(() => expect(notices()).toHaveLength(0))
  showJobNotification(job(4, '导入设备', 3))
  await waitUntil(() => expect(textOf('导入设备完成')).toBe('导入设备完成共 3 条'))
})
