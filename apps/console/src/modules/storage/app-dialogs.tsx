import { AppAccountInput, appAccount, AppAccountRow, BoundDevice } from '@oms/contract/storage/app-account.ts'
import { Form, Modal, Button, Input, Tabs } from 'antd'
import { useSession, Allowed, useCan } from '#core/auth/session.tsx'
import { Field, NoteField, SelectField, TextField } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { formatConnection } from '@oms/contract/device/device-fields.ts'
import { useWrite } from '#core/api/query.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { DataTable } from '#kit/table/data-table.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { time } from '#kit/record/time.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { countTrimmedText } from '#kit/form/text-limit.ts'
import { type AppAccount, formatAppAccountName } from './app-list.page.tsx'
import { State } from '#kit/record/state.tsx'

/** Form that adds an App account. The back end of the App uses the same call. */
export function AppAddForm({ onClose }: { onClose(): void }) {
  const { modal, form } = useFormModal(appAccount.create, { onClose, initial: { registerSource: 1 } })
  const isPlatform = useSession()?.ownerId === '1'
  return (
    <Modal title="新增App账号" {...modal}>
      <Form {...form}>
        {isPlatform && (
          <Field of={appAccount.create.input} name="tenantId" hint="不选则属于平台">
            <TenantPicker create="tenant" />
          </Field>
        )}
        <TextField of={AppAccountInput} name="account" />
        <TextField of={AppAccountInput} name="nickname" />
        <TextField of={AppAccountInput} name="mobileNo" />
        <TextField of={AppAccountInput} name="email" />
        <TextField of={AppAccountInput} name="region" />
        <SelectField of={AppAccountInput} name="registerSource" />
        <NoteField of={AppAccountInput} name="remark" rows={2} />
      </Form>
    </Modal>
  )
}

const { item, wide } = createDescriptions(AppAccountRow)
const ITEMS = [
  item('uid'),
  item('account'),
  item('nickname'),
  item('mobileNo'),
  item('email'),
  item('region'),
  item('tenantName', (name, { tenantId }) => <TenantLink id={tenantId} name={name} />),
  item('registerSource'),
  item('registerTime', time),
  item('lastActiveTime', time),
  item('cloudState'),
  item('deviceCount'),
  wide('remark'),
]

/** Shows one App account in a drawer: its fields, its devices and its operation history. */
export function AppDrawer(props: {
  rows: readonly AppAccount[]
  row: AppAccount | undefined
  onRow(row: AppAccount | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="uid" title={formatAppAccountName}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            { key: 'devices', label: `绑定设备（${row.deviceCount}）`, children: <Devices key={row.uid} row={row} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.uid} bizType="appAccount" bizId={row.uid} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

const { col, actions } = createColumns(BoundDevice)
const COLUMNS = [
  col('sn', (sn) => <CopyText text={sn} />, { width: 190 }),
  col('devName', { width: 130 }),
  col('modelName', { width: 140 }),
  col('online', (online, row) => <State color={online === 1 ? 'success' : 'default'}>{formatConnection(row)}</State>, {
    width: 90,
  }),
  col('lastOnlineTime', time, { width: 165 }),
]

function Devices({ row }: { row: AppAccount }) {
  const list = useInnerList(appAccount.devices, { id: row.uid })
  const unbind = useWrite(appAccount.unbind)
  const can = useCan()
  const unbindOf = actions(
    ({ id, sn }) => (
      <RowActions
        items={[
          {
            label: '解绑',
            to: appAccount.unbind,
            danger: true,
            confirm: `解绑设备 ${sn}？该用户将不能再控制它。`,
            onClick: () => unbind.mutateAsync({ id: row.uid, deviceId: id }),
          },
        ]}
      />
    ),
    80,
  )
  return (
    <>
      <Allowed to={appAccount.bind}>
        <Bind uid={row.uid} />
      </Allowed>
      <DataTable
        {...list.table}
        name="bound"
        rowKey="id"
        columns={can(appAccount.unbind.access) ? [...COLUMNS, unbindOf] : COLUMNS}
        empty={{ text: '还没有绑定设备' }}
      />
    </>
  )
}

function Bind({ uid }: { uid: number }) {
  const [form] = Form.useForm<{ sn: string }>()
  const bind = useWrite(appAccount.bind)
  const submit = async ({ sn }: { sn: string }) => {
    const done = await bind.mutateAsync({ id: uid, sn }).then(
      () => true,
      () => false,
    )
    // Clears the field only when the bound serial number is still in the field, because the user may already type the
    // next number.
    if (done && form.getFieldValue('sn') === sn) form.resetFields()
  }
  return (
    <Form form={form} layout="inline" onFinish={(values) => void submit(values)} style={{ marginBottom: 12 }}>
      <Form.Item name="sn" label="序列号" rules={[{ required: true, whitespace: true, message: '请输入序列号' }]}>
        <Input {...countTrimmedText(64)} placeholder="要绑定的设备" allowClear />
      </Form.Item>
      <Button htmlType="submit" loading={bind.isPending}>
        绑定设备
      </Button>
    </Form>
  )
}
