import { formatConnection, MAX_SNS } from '@oms/contract/device/device-fields.ts'
import { deviceGroups, GroupDevice } from '@oms/contract/device/device-group.ts'
import { Alert, Button, Drawer, Tabs, Tag, Input } from 'antd'
import { useState } from 'react'
import { dialogs } from '#core/loading/overlays.ts'
import { useWrite } from '#core/api/query.ts'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { createColumns } from '#kit/table/columns.tsx'
import { DataTable, type Picked } from '#kit/table/data-table.tsx'
import { BatchCallButton } from '#kit/list/batch-call-button.tsx'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { SearchForm } from '#kit/list/search-form.tsx'
import { time } from '#kit/record/time.tsx'
import { useInnerList } from '#kit/list/use-list.ts'
import type { GroupNode } from './group-tree.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { DeviceTypePicker } from '#kit/pickers/type-picker.tsx'
import { splitCodes } from '@oms/contract/core/normalize-line.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { saveBlob } from '#core/api/download.ts'
import { CodeBlock } from '#kit/record/code-block.tsx'

const { col } = createColumns(GroupDevice)
const QUERY = deviceGroups.devices.input
const COLUMNS = [
  col('sn', { width: 170, sort: true }),
  col('devName', { width: 140 }),
  col('modelName', { width: 130 }),
  col('tenantName', { width: 130 }),
  col('verCode', { width: 90, align: 'right' }),
  col('region', { width: 100 }),
  col('online', (online, row) => <Tag color={online === 1 ? 'green' : 'default'}>{formatConnection(row)}</Tag>, {
    width: 90,
  }),
  col('typeName', { width: 110, hidden: true }),
  col('tags', { width: 140, hidden: true }),
  col('lastOnlineTime', time, { width: 165, hidden: true }),
]

/** Lists the devices in a group, and for a static group the devices that can be added. */
export function GroupDevices({ group, onClose }: { group: GroupNode; onClose(): void }) {
  const [side, setSide] = useState('in')
  const can = useCan()
  const isStatic = group.kind === 1
  const choose = isStatic && can(deviceGroups.addDevices.access) ? () => setSide('out') : undefined
  const tabs = [
    { key: 'in', label: '组内设备', children: <Devices group={group} inside onChoose={choose} /> },
    ...(choose
      ? [
          { key: 'out', label: '选择设备', children: <Devices group={group} inside={false} /> },
          { key: 'sns', label: '按序列号添加', children: <AddSerials group={group} /> },
        ]
      : []),
  ]
  return (
    <Drawer open size="min(1080px, 100vw)" title={`「${group.groupName}」的设备`} onClose={onClose}>
      {!isStatic && <Alert type="info" showIcon title="动态分组：符合规则的设备自动属于该分组" className="kit-note" />}
      <Tabs activeKey={side} onChange={setSide} items={tabs} destroyOnHidden />
    </Drawer>
  )
}

function Devices({ group, inside, onChoose }: SideProps & { onChoose?: (() => void) | undefined }) {
  const { id } = group
  const list = useInnerList(deviceGroups.devices, { id, outside: inside ? '0' : '1' })
  const editable = group.kind === 1
  return (
    <>
      <SearchForm {...list.search}>
        <Filter of={QUERY} name="sn" />
        <Filter of={QUERY} name="devName" />
        <Filter of={QUERY} name="modelId">
          <DeviceModelPicker placeholder="请选择设备型号" />
        </Filter>
        <Filter of={QUERY} name="typeId">
          <DeviceTypePicker />
        </Filter>
        <Filter of={QUERY} name="tag" />
        <SelectFilter of={QUERY} name="online" />
        <SelectFilter of={QUERY} name="status" />
      </SearchForm>
      <DataTable
        {...list.table}
        rowKey="id"
        name={inside ? 'members' : 'others'}
        columns={COLUMNS}
        {...(editable && {
          actions: <AllButton group={group} inside={inside} filter={list.search.initial} total={list.table.total} />,
          batch: (picked: Picked<{ id: number }>) => <PickedButton group={group} inside={inside} picked={picked} />,
        })}
        empty={{
          text: inside ? '该分组还没有设备' : '没有可添加的设备',
          action: onChoose && (
            <Button type="primary" onClick={onChoose}>
              选择设备
            </Button>
          ),
        }}
      />
    </>
  )
}

interface SideProps {
  group: GroupNode
  inside: boolean
}

function PickedButton({ group: { id, groupName }, inside, picked }: SideProps & { picked: Picked<{ id: number }> }) {
  const add = useWrite(deviceGroups.addDevices)
  const remove = useWrite(deviceGroups.removeDevices)
  const change = (rows: readonly { id: number }[]) =>
    (inside ? remove : add).mutateAsync({ id, deviceIds: rows.map((row) => row.id) })
  return (
    <BatchCallButton
      label={inside ? '移除所选设备' : '添加所选设备'}
      to={inside ? deviceGroups.removeDevices : deviceGroups.addDevices}
      picked={picked}
      onCall={change}
      confirm={
        inside
          ? {
              title: `移除 ${picked.rows.length} 台设备？`,
              content: `这些设备不再属于「${groupName}」，选择该分组的发布不再匹配它们；设备本身不会被删除。`,
              okText: '移除',
              danger: true,
            }
          : undefined
      }
    />
  )
}

/** Adds or removes all devices that match the filter, on all pages. */
function AllButton({ group, inside, filter, total }: SideProps & { filter: object; total: number }) {
  const add = useWrite(deviceGroups.addAll)
  const remove = useWrite(deviceGroups.removeAll)
  const verb = inside ? '移除' : '添加'
  const filtered = Object.keys(filter).length > 0
  const ask = () =>
    dialogs.confirm({
      title: `${verb}${filtered ? '符合条件的' : ''}全部设备？`,
      content: inside
        ? `将从「${group.groupName}」移除${filtered ? '符合当前查询条件的' : '全部'} ${total.toLocaleString()} 台设备。`
        : `将把${filtered ? '符合当前查询条件的' : '全部'} ${total.toLocaleString()} 台设备添加到「${group.groupName}」。`,
      okText: verb,
      okButtonProps: { danger: inside },
      cancelText: '取消',
      onOk: async () => {
        await (inside ? remove : add).mutateAsync({ id: group.id, ...filter }).catch(() => {})
      },
    })
  return (
    <Allowed to={inside ? deviceGroups.removeAll : deviceGroups.addAll}>
      <ReasonedButton danger={inside} reason={total === 0 ? `没有可以${verb}的设备` : undefined} onClick={ask}>
        {filtered ? `${verb}查询结果` : `全部${verb}`}
      </ReasonedButton>
    </Allowed>
  )
}

const parts = (text: string) => [...new Set(splitCodes(text))]
const SHOWN = 20

/** Adds devices by pasted serial numbers and lists unknown ones. */
function AddSerials({ group: { id, tenantId } }: { group: GroupNode }) {
  const [text, setText] = useState('')
  const add = useWrite(deviceGroups.addSns)
  const sns = parts(text)
  const problem = sns.length > MAX_SNS && `一次最多 ${MAX_SNS} 个序列号，现有 ${sns.length} 个`
  const result = add.data
  return (
    <div className="kit-stack">
      <p className="kit-hint">粘贴序列号，每行一个，也可用逗号、空格分隔；重复的只算一次。</p>
      <Input.TextArea
        aria-label="序列号列表"
        rows={12}
        value={text}
        {...(problem && { status: 'error' as const })}
        placeholder={'SN20260001\nSN20260002'}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="kit-row kit-apart">
        <span role="status">{problem || `共 ${sns.length} 个序列号`}</span>
        <Button
          type="primary"
          loading={add.isPending}
          disabled={sns.length === 0 || Boolean(problem)}
          onClick={() =>
            void add.mutateAsync({ id, sns }).then(
              () => setText(''),
              () => {},
            )
          }
        >
          添加到分组
        </Button>
      </div>
      {result && <AddResult result={result} isVendor={tenantId === 1} />}
    </div>
  )
}

interface AddResultProps {
  readonly result: ResultOf<typeof deviceGroups.addSns>
  readonly isVendor: boolean
}

function AddResult({ result, isVendor }: AddResultProps) {
  return (
    <Alert
      type={result.unknown.length > 0 ? 'warning' : 'success'}
      showIcon
      title={`已添加 ${result.added} 台，${result.already} 台已在分组中${result.full > 0 ? `，${result.full} 台所属分组已满` : ''}`}
      description={result.unknown.length > 0 && <Unknown sns={result.unknown} isVendor={isVendor} />}
    />
  )
}

function Unknown({ sns, isVendor }: { sns: readonly string[]; isVendor: boolean }) {
  const download = () =>
    saveBlob(new Blob([`\ufeff${sns.join('\r\n')}\r\n`], { type: 'text/csv' }), '未找到的序列号.csv')
  return (
    <>
      <p>
        {sns.length} 个序列号没有找到设备{!isVendor && '，或设备不属于该分组的客户'}：
      </p>
      <CodeBlock name="没有找到的序列号">
        {[...sns.slice(0, SHOWN), ...(sns.length > SHOWN ? ['…'] : [])].join('\n')}
      </CodeBlock>
      <Button size="small" onClick={download}>
        下载未找到的序列号
      </Button>
    </>
  )
}
