import { PlusOutlined } from '@ant-design/icons'
import { agentContacts, ContactRow } from '@oms/contract/agent/devices/contact.ts'
import { Button } from 'antd'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { Allowed } from '#core/auth/session.tsx'
import { lazyAfterRender } from '#core/loading/deferred.tsx'
import { RowActions } from '#kit/list/row-actions.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable } from '#kit/table/data-table.tsx'

const ContactForm = lazyAfterRender(() => import('./contact-form.tsx'), 'ContactForm')

const { col, actions } = createColumns(ContactRow)
const COLUMNS = [
  col('alias', { width: 120, sort: true }),
  col('targetName', (name) => name || '已解绑', { width: 130 }),
  col('targetMac', { width: 150 }),
  col('allowed', { width: 122 }),
]

/** Address book of a voice device. */
export function ContactPanel({ deviceId }: { readonly deviceId: number }) {
  const list = useInnerList(agentContacts.list, { deviceId })
  const [edited, setEdited] = useState<ContactRow | 'new'>()
  const remove = useWrite(agentContacts.remove)
  const rowActions = (row: ContactRow) => (
    <RowActions
      items={[
        { label: '编辑', to: agentContacts.update, onClick: () => setEdited(row) },
        {
          label: '删除',
          to: agentContacts.remove,
          danger: true,
          confirm: `删除联系人「${row.alias}」？`,
          onClick: () => remove.mutateAsync({ id: row.id }),
        },
      ]}
    />
  )
  const add = (
    <Allowed to={agentContacts.create}>
      <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
        新增联系人
      </Button>
    </Allowed>
  )
  return (
    <>
      <DataTable
        {...list.table}
        name="contacts"
        rowKey="id"
        columns={[...COLUMNS, actions(rowActions, 110, [agentContacts.update, agentContacts.remove])]}
        actions={add}
        empty={{ text: '通讯录是空的', hint: '添加同一客户的设备后，可以对设备说出称呼来呼叫' }}
      />
      {edited && <ContactForm row={edited} deviceId={deviceId} onClose={() => setEdited(undefined)} />}
    </>
  )
}
