import { DeviceModelInput, deviceModels, MODEL_PICTURE, DeviceModelRow } from '@oms/contract/device/device-model.ts'
import { Drawer, Form, Select, Empty, Tabs, Tag } from 'antd'
import { KNOWN_BOARDS } from '@oms/contract/device/known-boards.ts'
import { call, readFresh } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { Field, NoteField, NumberField, SwitchField, TextField } from '#kit/form/field.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { ImageUpload, ImageList } from '#kit/upload/image-upload.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useRead } from '#core/api/query.ts'
import type { Model } from './device-model-list.page.tsx'
import { TypeSelect, ICON_OPTIONS } from './device-type.tsx'
import { formatPercent } from '#core/text/format.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan } from '#core/auth/session.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { EnabledTag } from '#kit/record/enabled-tag.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { listPath } from '#kit/record/record-links.tsx'
import { Time } from '#kit/record/time.tsx'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { DeviceTypeInput, deviceTypes } from '@oms/contract/device/device-type.ts'
import { RecordForm } from '#kit/form/record-form.tsx'
import type { DeviceType } from './device-type-list.page.tsx'

/** Form that creates a model. A select of models passes `onCreated` to receive the new model. */
export function ModelAddForm({ onClose, onCreated }: Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>) {
  const { drawer, footer, form } = useFormDrawer(deviceModels.create, {
    onClose,
    onSaved: ({ id }, { modelName, modelCode }) => onCreated?.({ id, name: `${modelName}（${modelCode}）` }),
    initial: { status: 1, cloudChannels: 0, boards: [] },
  })
  return (
    <Drawer {...drawer} title="新增设备型号" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <ModelFields />
      </Form>
    </Drawer>
  )
}

/** Edits a model. */
export function ModelEditForm({ row, onClose }: { row: Model; onClose(): void }) {
  const read = () => readFresh(deviceModels.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑设备型号" onClose={onClose}>
      {(fresh) => <LoadedModelForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function LoadedModelForm({ row, onClose }: { row: Model; onClose(): void }) {
  const latest = async () => toModelValues(await call(deviceModels.get, { id: row.id }))
  const { drawer, footer, form } = useFormDrawer(deviceModels.update, { onClose, initial: toModelValues(row), latest })
  return (
    <Drawer {...drawer} title={`编辑设备型号「${row.modelName}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <ModelFields row={row} />
      </Form>
    </Drawer>
  )
}

const toModelValues = (row: Model) => ({ ...row, status: row.status as 0 | 1 })

function ModelFields({ row }: { row?: Model }) {
  return (
    <>
      <Field of={DeviceModelInput} name="typeId">
        <TypeSelect onlyEnabled create="deviceType" chosen={row && { id: row.typeId, name: row.typeName }} />
      </Field>
      <TextField of={DeviceModelInput} name="modelName" />
      <TextField of={DeviceModelInput} name="modelCode" hint="设备上报和检查升级时使用，如 IPC-C2" />
      <Field of={DeviceModelInput} name="picture">
        <ImageUpload rule={MODEL_PICTURE} />
      </Field>
      <div className="kit-pair">
        <TextField of={DeviceModelInput} name="hwVersion" />
        <TextField of={DeviceModelInput} name="chip" />
      </div>
      <NumberField of={DeviceModelInput} name="cloudChannels" hint="0 表示该型号不支持云存储" />
      <Field
        of={DeviceModelInput}
        name="boards"
        hint="语音设备上报的开发板，如 bread-compact-wifi；固件只发给这些开发板，版本名称须为 2.0.10 这样的三段数字"
      >
        <BoardSelect />
      </Field>
      <SwitchField of={DeviceModelInput} name="status" />
      <NoteField of={DeviceModelInput} name="remark" rows={3} />
    </>
  )
}

interface Props {
  readonly id?: string
  readonly value?: readonly string[]
  onChange?(boards: string[]): void
}

/**
 * Select for boards. Suggests the boards that devices reported and the boards of the public firmware, because a
 * mistyped board gets no firmware. Other boards can be typed.
 */
function BoardSelect({ value, onChange, ...props }: Props) {
  const { data } = useRead(deviceModels.boards, {}, { quiet: true })
  const reported = data?.list ?? []
  const known = KNOWN_BOARDS.filter((board) => !reported.some((each) => each.board === board))
  const options = [
    {
      label: '设备上报过的开发板',
      options: reported.map(({ board, devices }) => ({
        value: board,
        label: devices > 0 ? `${board}（${devices} 台）` : `${board}（未绑定）`,
      })),
    },
    { label: '官方固件的开发板', options: known.map((board) => ({ value: board, label: board })) },
  ]
  return (
    <Select
      {...props}
      mode="tags"
      value={value ? [...value] : []}
      onChange={onChange}
      options={options.filter((group) => group.options.length > 0)}
      optionLabelProp="value"
      tokenSeparators={[',', '，', ';', '；', ' ']}
      placeholder="选择开发板，或输入后按回车"
    />
  )
}

const { item, wide } = createDescriptions(DeviceModelRow)
const at = (time: string) => <Time at={time} />
const ITEMS = [
  wide('picture', (picture) => (picture ? <ImageList value={picture} /> : null)),
  item('modelName'),
  item('modelCode'),
  item('typeName'),
  item('hwVersion'),
  item('chip'),
  item('cloudChannels', (count) => (count > 0 ? count : '不支持云存储')),
  item('boards', (boards) => boards.join('、')),
  item('versionCount'),
  item('currentVerName', (name, { currentVerCode }) =>
    currentVerCode === null ? null : `${name}（${currentVerCode}）`,
  ),
  item('createTime', at),
  item('updateTime', at),
  wide('remark'),
]

/** Model drawer: details, versions of its devices, and history. */
export function ModelDrawer(props: {
  rows: readonly Model[]
  row: Model | undefined
  onRow(row: Model | undefined): void
}) {
  return (
    <DetailDrawer
      {...props}
      rowKey="id"
      title={({ modelName, modelCode }) => `${modelName}（${modelCode}）`}
      head={({ id, status, deviceCount, onlineCount }) => ({
        state: <EnabledTag on={status === 1} />,
        facts: [
          [
            '设备',
            <PermittedLink key="devices" to={listPath('/device/apkManage', { modelId: id })}>
              {`${deviceCount.toLocaleString()} 台`}
            </PermittedLink>,
          ],
          ['在线', `${onlineCount.toLocaleString()} 台`],
        ],
      })}
    >
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Descriptions row={row} items={ITEMS} /> },
            { key: 'spread', label: '版本分布', children: <Spread key={row.id} model={row} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="deviceModel" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

function Spread({ model }: { model: Model }) {
  const { data, error, refetch } = useRead(deviceModels.spread, { id: model.id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={3} />
  if (data.total === 0) return <Empty description="该型号还没有设备" />
  const top = Math.max(...data.list.map(({ devices }) => devices), data.others)
  return (
    <>
      <p className="kit-hint">共 {data.total.toLocaleString()} 台设备，按其运行的固件版本</p>
      <ul className="kit-bars">
        {data.list.map(({ verCode, verName, devices, online }) => (
          <li key={verCode ?? 'none'}>
            <VersionName
              verCode={verCode}
              verName={verName}
              modelId={model.id}
              isCurrent={verCode === model.currentVerCode}
            />
            <Bar share={devices / top} />
            <span className="kit-number">
              {devices.toLocaleString()}（{percent(devices, data.total)}）<small>在线 {online.toLocaleString()}</small>
            </span>
          </li>
        ))}
        {data.others > 0 && (
          <li>
            <span>更早的版本</span>
            <Bar share={data.others / top} />
            <span className="kit-number">{data.others.toLocaleString()}</span>
          </li>
        )}
      </ul>
    </>
  )
}

const percent = (part: number, whole: number) => formatPercent(part / whole)

const Bar = ({ share }: { share: number }) => (
  <span className="kit-bar" aria-hidden>
    <span style={{ width: `${Math.max(share * 100, 0.5)}%` }} />
  </span>
)

function VersionName(props: { verCode: number | null; verName: string; modelId: number; isCurrent: boolean }) {
  const { verCode, verName, modelId, isCurrent } = props
  const can = useCan()
  if (verCode === null) return <span>未上报版本</span>
  const words = verName ? `${verName}（${verCode}）` : String(verCode)
  const link = `/device/apkManage?modelId=${modelId}&verCodeMin=${verCode}&verCodeMax=${verCode}`
  return (
    <span>
      {can('device:apkManage:list') ? <Link to={link}>{words}</Link> : words}{' '}
      {isCurrent && <Tag color="blue">当前</Tag>}
    </span>
  )
}

type FormProps = Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>

/** Form that creates a device type. A select of types passes `onCreated` to receive the new type. */
export const TypeAddForm = (props: FormProps) => <TypeForm row="new" {...props} />

/** Creates or edits a device type. */
export function TypeForm({ row, ...props }: FormProps & { row: DeviceType | 'new' }) {
  return (
    <RecordForm
      calls={deviceTypes}
      noun="设备类型"
      row={row}
      nameOf={({ typeName }) => typeName}
      initial={{ sort: 0, status: 1 }}
      toForm={toTypeValues}
      {...props}
    >
      {() => <TypeFields />}
    </RecordForm>
  )
}

type IconName = Parameters<typeof call<typeof deviceTypes.update>>[1]['icon']
/** Treats an unknown icon as no icon. */
const toTypeValues = ({ icon, ...row }: DeviceType) => ({
  ...row,
  icon: (ICON_OPTIONS.some(({ value }) => value === icon) ? icon : '') as IconName,
  status: row.status as 0 | 1,
})

function TypeFields() {
  return (
    <>
      <TextField of={DeviceTypeInput} name="typeName" />
      <TextField of={DeviceTypeInput} name="typeCode" hint="字母、数字和 _ . -，新增后仍可修改" />
      <Field of={DeviceTypeInput} name="icon" normalize={(value) => value ?? ''}>
        <IconSelect />
      </Field>
      <NumberField of={DeviceTypeInput} name="sort" hint="数字小的排在前面" />
      <SwitchField of={DeviceTypeInput} name="status" />
      <NoteField of={DeviceTypeInput} name="remark" rows={2} />
    </>
  )
}

function IconSelect(props: { id?: string; value?: string; onChange?: (value: string | undefined) => void }) {
  const { id, value, onChange } = props
  return (
    <Select
      {...(id && { id })}
      {...(value && { value })}
      allowClear
      placeholder="请选择图标"
      options={ICON_OPTIONS}
      onChange={(next?: string) => onChange?.(next)}
    />
  )
}
