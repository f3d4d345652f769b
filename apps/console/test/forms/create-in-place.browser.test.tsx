import { Button } from 'antd'
import { useState } from 'react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { NO_BRAND, setPermissions } from '#core/auth/session.tsx'
import { DeviceAddForm } from '#modules/device/device-forms.tsx'
import '#modules/device/index.ts'
import { GroupAddForm } from '#modules/device/groups/group-form.tsx'
import { BindMacForm } from '#modules/agent/devices/device-forms.tsx'
import '#modules/agent/index.ts'
import { OpenEntitlementDrawer } from '#modules/storage/entitlements/entitlement-dialogs.tsx'
import '#modules/storage/index.ts'
import { StaffAddForm } from '#modules/account/staff/staff-dialogs.tsx'
import '#modules/account/index.ts'
import '#modules/tenant/index.ts'
import { focusFirstField } from '#kit/form/save/focus-first.ts'
import { held, ok, openTab, startServer } from '#test/browser-harness.tsx'

const MODEL = { id: 31, name: '枪机 4', modelCode: 'IPC-4', typeName: '摄像机', status: 1 }
const TENANTS = [1, 2].map((id) => ({ id, name: `客户${id}`, tenantNo: `T${id}` }))
const SAVE_DEVICE = 'POST /api/v1/device/info'
const SAVE_MODEL = 'POST /api/v1/device/model'
const SAVE_TENANT = 'POST /api/v1/tenant'
const SAVE_ROLE = 'POST /api/v1/tenant/role'
const SAVE_STAFF = 'POST /api/v1/tenant/user'
const SAVE_AGENT = 'POST /api/v1/agent/list'
const BIND_MAC = 'POST /api/v1/agent/device/bindMac'
const SAVE_GROUP = 'POST /api/v1/device/group'

let server: ReturnType<typeof startServer>
let tab: ReturnType<typeof openTab> | undefined
beforeEach(() => {
  server = startServer({
    'GET /api/v1/device/options/model': () => ok({ list: [MODEL] }),
    'GET /api/v1/tenant/options/tenant': () => ok({ list: TENANTS }),
    'GET /api/v1/device/model/types': () => ok([{ typeId: 5, typeName: '摄像机', typeCode: 'ipc', status: 1 }]),
    'GET /api/v1/tenant/industry/options': () => ok({ list: [{ id: 4, parentId: 0, name: '连锁', status: 1 }] }),
    'GET /api/v1/tenant/scene/options': () => ok({ list: [{ id: 8, sceneName: '基础', isDefault: 1 }] }),
    'GET /api/v1/tenant/user/roleOptions': () => ok({ list: [] }),
    [SAVE_MODEL]: () => ok({ id: 77 }, '新增成功'),
    [SAVE_TENANT]: () => ok({ id: 66, tenantNo: 'T66', account: 'boss66', password: 'Once-only-66' }, '新增成功'),
    [SAVE_ROLE]: () => ok({ id: 55 }, '新增成功'),
    [SAVE_DEVICE]: () => ok({ id: 9 }, '新增成功'),
    [SAVE_STAFF]: () => ok({ uid: 1, account: 'worker', password: 'x' }, '新增成功'),
    [SAVE_GROUP]: () => ok({ id: 3 }, '新增成功'),
  })
})
afterEach(() => {
  tab?.close()
  tab = undefined
})

function open(Form: React.ComponentType<{ onClose(): void }>) {
  function Screen() {
    const [isOpen, setOpen] = useState(true)
    return (
      <main>
        <Button>后面</Button>
        {isOpen && <Form onClose={() => setOpen(false)} />}
      </main>
    )
  }
  tab = openTab(<Screen />)
}

/** A dialog by its title; antd gives all dialogs the same id in tests, so their names are equal. */
const form = (title: string) => page.getByRole('dialog').filter({ has: page.getByText(title, { exact: true }) })
const save = (title: string, act = '保存') => form(title).getByRole('button', { name: act, exact: true }).click()
const gone = (title: string) => expect.element(form(title)).not.toBeInTheDocument()

/** Creates a model with the button below the options of the open model select. */
async function createModel() {
  await page.getByRole('button', { name: '新增型号' }).click()
  const model = form('新增设备型号')
  await model.getByLabelText('设备类型').click()
  await page.getByTitle('摄像机').click()
  await model.getByLabelText('型号名称').fill('球机 7')
  await model.getByLabelText('型号编码').fill('IPC-7')
  await save('新增设备型号')
  await gone('新增设备型号')
}

test('the device form creates a device model, selects the model and keeps the typed serial number', async () => {
  open(DeviceAddForm)
  const device = form('新增设备')
  await device.getByLabelText('序列号').fill('SN-0001')
  await device.getByLabelText('设备型号').click()
  await createModel()
  await expect.element(device.getByTitle('球机 7（IPC-7）')).toBeVisible()
  await expect.element(device.getByLabelText('序列号')).toHaveValue('SN-0001')
  await save('新增设备')
  await gone('新增设备')
  expect(server.inputsOf(SAVE_DEVICE)).toMatchObject([{ sn: 'SN-0001', modelId: 77 }])
  expect(server.inputsOf(SAVE_MODEL)).toHaveLength(1)
})

test('the button below the options acts on mouse down, so options that load meanwhile cannot move it away', async () => {
  const models = held()
  server.on('GET /api/v1/device/options/model', models.respond)
  open(DeviceAddForm)
  await form('新增设备').getByLabelText('设备型号').click()
  const button = page.getByRole('button', { name: '新增型号' })
  await expect.element(button).toBeVisible()
  button.element().dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }))
  models.answer(ok({ list: [MODEL] }))
  await expect.element(form('新增设备型号')).toBeVisible()
})

test('an opened form does not take the focus from its own overlay, but takes it from a form below', async () => {
  const layers = document.body.appendChild(document.createElement('div'))
  layers.innerHTML = `<div class="ant-drawer"><input id="below" /></div>
    <div class="ant-drawer"><form><input id="first" /></form></div>
    <div class="ant-select-dropdown"><button id="above">新增</button></div>`
  const focusAt = (id: string) => layers.querySelector<HTMLElement>(`#${id}`)?.focus()
  focusAt('above')
  focusFirstField(layers.querySelector('form'))
  expect(document.activeElement?.id).toBe('above')
  focusAt('below')
  focusFirstField(layers.querySelector('form'))
  expect(document.activeElement?.id).toBe('first')
  layers.remove()
})

test('creating a tenant from a select shows the one-time password, then returns to the form', async () => {
  open(DeviceAddForm)
  const device = form('新增设备')
  await device.getByLabelText('序列号').fill('SN-0002')
  await device.getByLabelText('所属客户').click()
  await page.getByRole('button', { name: '新增客户' }).click()
  const tenant = form('新增客户')
  await tenant.getByLabelText('客户名称').fill('新客户')
  await tenant.getByLabelText('所属行业').click()
  await page.getByTitle('连锁').click()
  await tenant.getByLabelText('联系人').fill('王五')
  await tenant.getByLabelText('联系电话').fill('13900001234')
  await tenant.getByLabelText('管理员姓名').fill('赵六')
  await save('新增客户', '新增客户')
  await expect.element(page.getByText('Once-only-66')).toBeVisible()
  await page.getByRole('button', { name: '我已保存' }).click()
  await expect.element(device.getByTitle('新客户')).toBeVisible()
  await expect.element(device.getByLabelText('序列号')).toHaveValue('SN-0002')
})

test('a role that is created from the user form is added to the selected roles', async () => {
  open((props) => <StaffAddForm {...props} onMade={() => {}} />)
  await form('新增用户').getByLabelText('角色').click()
  await page.getByRole('button', { name: '新增角色' }).click()
  await form('新增角色').getByLabelText('角色名称').fill('质检')
  await form('新增角色').getByLabelText('角色编码').fill('qa')
  await save('新增角色')
  await gone('新增角色')
  await expect.element(form('新增用户').getByTitle('质检')).toBeVisible()
})

test('a device model that is created from the group form is added to the rule of the dynamic group', async () => {
  open((props) => <GroupAddForm {...props} tree={[]} parentId={undefined} />)
  const group = form('新增设备分组')
  await group.getByLabelText('分组名称').fill('动态一组')
  await group.getByText('动态分组').click()
  await group.getByLabelText('设备型号').click()
  await createModel()
  await save('新增设备分组')
  await gone('新增设备分组')
  expect(server.inputsOf(SAVE_GROUP)).toMatchObject([{ groupName: '动态一组', rule: { modelIds: [77] } }])
})

test('a select offers no create button to an account without the create permission', async () => {
  open(DeviceAddForm)
  setPermissions({
    buttons: ['device:apkManage:list', 'device:apkManage:add'],
    menus: [],
    roles: [],
    version: '',
    homeUrl: '',
    switchedTenant: null,
    zone: '',
    theme: '',
    brand: NO_BRAND,
    seesAllTenants: true,
  })
  await form('新增设备').getByLabelText('设备型号').click()
  await expect.element(page.getByTitle(/枪机 4/)).toBeVisible()
  await expect.element(page.getByRole('button', { name: '新增型号' })).not.toBeInTheDocument()
})

test('the form that binds a device creates an agent, selects the agent and stays open', async () => {
  server.on('GET /api/v1/agent/device/options/agent', () => ok({ list: [] }))
  server.on('GET /api/v1/agent/list/choices', () =>
    ok({ templates: [{ id: 1, name: '助手', systemPrompt: '你好', replaced: ['大语言模型', '音色'] }] }),
  )
  server.on(SAVE_AGENT, () => ok({ id: 44 }, '新增成功'))
  server.on(BIND_MAC, () => ok({ deviceId: 1 }, '绑定成功'))
  open(BindMacForm)
  const bind = form('按 MAC 绑定')
  await bind.getByLabelText('MAC').fill('00:1A:2B:3C:4D:5E')
  await bind.getByLabelText('智能体').click()
  await page.getByRole('button', { name: '新增智能体' }).click()
  const warning = page.getByText('所属客户不能使用模板的大语言模型、音色，新智能体改用默认模型')
  await expect.element(warning).toBeVisible()
  await form('新增智能体').getByLabelText('智能体名称').fill('客厅助手')
  await save('新增智能体')
  await expect.element(bind.getByTitle('客厅助手')).toBeVisible()
  await bind.getByRole('button', { name: '绑定', exact: true }).click()
  await gone('按 MAC 绑定')
  expect(server.inputsOf(BIND_MAC)).toMatchObject([{ mac: '00:1A:2B:3C:4D:5E', agentId: 44 }])
})

test('the form that opens cloud storage offers to create a package when no package exists', async () => {
  server.on('GET /api/v1/oss/options/package', () => ok({ list: [] }))
  open(OpenEntitlementDrawer)
  await form('开通云存储').getByLabelText('云存套餐').click()
  await expect.element(page.getByRole('button', { name: '新增套餐' })).toBeVisible()
})
