import { afterEach, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { Shortcuts } from '#app/keys/shortcuts.tsx'
import { Link } from '#core/routing/router.tsx'
import { Address, addressOf } from './address.tsx'
import { openTab, startServer } from './browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => tab?.close())

const pressed: string[] = []
const list = (
  <div className="pages">
    <div className="page">
      <input aria-label="名称" />
      <button type="button" onClick={() => pressed.push('新增')}>
        新增设备
      </button>
      <table>
        <tbody>
          {[1, 2].map((id) => (
            <tr key={id} className="ant-table-row">
              <td aria-label={`设备 ${id}`}>
                <Link to={`/device/apkManage/detail/${id}`}>设备 {id}</Link>
              </td>
              <td>
                <button type="button" onClick={() => pressed.push(`编辑 ${id}`)}>
                  编辑
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </div>
)

test('keys select, edit and open rows, add a record and list themselves, but not while typing', async () => {
  startServer({})
  tab = openTab(
    <>
      <Address />
      {list}
      <Shortcuts />
    </>,
  )
  await page.getByRole('textbox', { name: '名称' }).click()
  await userEvent.keyboard('nj?')
  expect(pressed).toEqual([])
  ;(document.activeElement as HTMLElement).blur()
  await userEvent.keyboard('njje')
  expect(pressed).toEqual(['新增', '编辑 2'])
  const before = addressOf()
  await userEvent.keyboard('ko')
  await expect.poll(addressOf).toBe('/device/apkManage/detail/1')
  expect(before).not.toBe(addressOf())
  await userEvent.keyboard('gh')
  await expect.poll(addressOf).toBe('/indexScreen')
  await userEvent.keyboard('?')
  await expect.element(page.getByRole('dialog', { name: '键盘快捷键' })).toBeVisible()
  await userEvent.keyboard('n')
  expect(pressed).toEqual(['新增', '编辑 2'])
})
