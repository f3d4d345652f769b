import { tenant } from '@oms/contract/tenant/tenant.ts'
import { COMPANY_SIZE, TENANT_LEVEL, TenantCreateInput } from '@oms/contract/tenant/tenant-info.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Alert, Drawer, Form, Select } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { Link } from '#core/routing/router.tsx'
import { useCan } from '#core/auth/session.tsx'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import { Field, LimitField, NoteField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { DateTimeField } from '#kit/form/field-date.tsx'
import { TreeSelectField } from '#kit/form/field-tree.tsx'
import { MoreFields } from '#kit/form/more-fields.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { LoadingDrawer } from '#kit/feedback/loading-layer.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import { useIndustryTree } from '#kit/pickers/use-industry-tree.ts'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { useCreateInPlace } from '#kit/pickers/create-in-place.tsx'
import { LEVEL_DICT, TENANT_SIZE_DICT, useSceneChoices } from './tenant.tsx'
import { useRef, useState } from 'react'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'

type Detail = z.output<(typeof tenant.get)['result']>
const MASKED = '已隐藏部分内容，不修改则保持原值'
const ONE_LOGO = { ...UPLOAD.image, maxCount: 1 }

/** Form that adds a tenant with its first administrator. The response contains the one-time password. */
export function TenantAddForm(props: AddProps) {
  const scenes = useRead(tenant.scenes, {}, { quiet: true })
  if (!scenes.data) return <LoadingDrawer title="新增客户" reads={[scenes]} onClose={props.onClose} />
  const standard = scenes.data.list.flatMap(({ id, isDefault }) => (isDefault === 1 ? [id] : []))
  return <AddForm {...props} standard={standard} />
}

interface AddProps {
  onClose(): void
  onMade(made: ResultOf<typeof tenant.create>, name: string): void
}

function AddForm(props: AddProps & { standard: readonly number[] }) {
  const { drawer, footer, form } = useFormDrawer(tenant.create, {
    onClose: props.onClose,
    onSaved: (made, { name }) => props.onMade(made, name),
    initial: {
      level: 1,
      allowApply: 1,
      adPlatformAudit: 0,
      accountCount: -1,
      deviceQuota: -1,
      sceneIds: props.standard,
    },
  })
  return (
    <Drawer {...drawer} title="新增客户" footer={<FormFooter {...footer} saveText="新增客户" />}>
      <Form {...form}>
        <Basics isNew />
        <More isNew />
      </Form>
    </Drawer>
  )
}

/** Form that edits a tenant. */
export function TenantEditForm({ id, onClose }: { id: number; onClose(): void }) {
  return (
    <FreshRecord
      of={id}
      read={() => call(tenant.get, { id }, { quiet: true })}
      layer="drawer"
      title="编辑客户"
      onClose={onClose}
    >
      {(loaded) => <EditForm loaded={loaded} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ loaded, onClose }: { loaded: Detail; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(tenant.update, {
    onClose,
    initial: loaded,
    latest: () => call(tenant.get, { id: loaded.id }),
  })
  return (
    <Drawer {...drawer} title={`编辑客户「${loaded.name}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Basics loaded={loaded} />
        <More loaded={loaded} />
      </Form>
    </Drawer>
  )
}

interface PartProps {
  readonly isNew?: true
  readonly loaded?: Detail
}

/** Fields that every tenant needs. */
function Basics({ isNew, loaded }: PartProps) {
  const industries = useIndustryTree()
  const levels = useDictLabels(LEVEL_DICT, TENANT_LEVEL).options
  const schema = schemaOf(loaded)
  return (
    <>
      <TextField of={TenantCreateInput} name="name" example="深圳市云栖安防设备有限公司" />
      <div className="kit-pair">
        <TreeSelectField
          of={TenantCreateInput}
          name="industryId"
          tree={industries}
          create="industry"
          hint={
            industries.length === 0 && (
              <>
                还没有行业，请先到<Link to="/tenantManage/industry">行业管理</Link>新增或导入
              </>
            )
          }
        />
        <SelectField of={TenantCreateInput} name="level" options={levels} />
        <TextField of={schema} name="contactName" />
        <TextField
          of={schema}
          name="contactPhone"
          example="13812345678 或 0755-86001234"
          hint={loaded?.contactPhone.includes('*') && MASKED}
        />
        {isNew && (
          <>
            <TextField of={TenantCreateInput} name="adminName" hint="客户的首位管理员" />
            <TextField of={TenantCreateInput} name="adminAccount" hint="不填则自动生成，创建后不能修改" />
          </>
        )}
      </div>
      <Scenes loaded={loaded} />
      <div className="kit-pair">
        {isNew && (
          <DateTimeField of={TenantCreateInput} name="expireTime" hint="不填则长期有效；到期前 30 天和 7 天提醒" />
        )}
        <LimitField of={TenantCreateInput} name="deviceQuota" unit="台" />
        {!isNew && <LimitField of={TenantCreateInput} name="accountCount" unit="个" />}
      </div>
    </>
  )
}

/**
 * Returns the schema of the contact fields. The update call accepts a masked number as unchanged, and the create call
 * refuses it.
 */
const schemaOf = (loaded: Detail | undefined) => (loaded ? tenant.update.input : TenantCreateInput)

function Scenes({ loaded }: { readonly loaded: Detail | undefined }) {
  const mayGive = useCan()('tenantManage:tenant:scene')
  const scenes = useSceneChoices()
  return (
    <>
      {scenes.length === 0 && (
        <Alert
          type="warning"
          showIcon
          title="还没有业务场景，客户至少需要一个场景才能使用功能"
          style={{ marginBottom: 16 }}
        />
      )}
      <Field
        of={TenantCreateInput}
        name="sceneIds"
        hint={mayGive ? '客户能使用的功能；修改后立即生效' : '您没有分配业务场景的权限，新客户使用默认场景'}
      >
        <SceneSelect disabled={!mayGive} had={loaded} />
      </Field>
    </>
  )
}

const OPTIONAL = [
  'shortName',
  'companySize',
  'contactEmail',
  'licenseNumber',
  'areaCode',
  'address',
  'domain',
  'logo',
  'intro',
  'remark',
]

function More({ isNew, loaded }: PartProps) {
  const sizes = useDictLabels(TENANT_SIZE_DICT, COMPANY_SIZE).options
  return (
    <MoreFields names={OPTIONAL}>
      <div className="kit-pair">
        {isNew && (
          <>
            <TextField of={TenantCreateInput} name="adminMobile" />
            <TextField of={TenantCreateInput} name="adminEmail" />
            <LimitField of={TenantCreateInput} name="accountCount" unit="个" />
          </>
        )}
        <DateTimeField of={TenantCreateInput} name="beginTime" />
        <TextField of={TenantCreateInput} name="shortName" example="云栖安防" />
        <SelectField of={TenantCreateInput} name="companySize" options={sizes} />
        <TextField of={schemaOf(loaded)} name="contactEmail" hint={loaded?.contactEmail.includes('*') && MASKED} />
        <TextField of={TenantCreateInput} name="licenseNumber" example="91440300MA5EXAMPLE" />
        <TextField of={TenantCreateInput} name="areaCode" example="440305" hint="6、9 或 12 位数字" />
        <TextField of={TenantCreateInput} name="domain" example="oms.example.com" hint="多个域名用逗号分隔" />
      </div>
      <TextField of={TenantCreateInput} name="address" />
      <Switches />
      <Field of={TenantCreateInput} name="logo">
        <ImageUpload rule={ONE_LOGO} />
      </Field>
      <NoteField of={TenantCreateInput} name="intro" rows={2} />
      <NoteField of={TenantCreateInput} name="remark" rows={2} />
    </MoreFields>
  )
}

const Switches = () => (
  <>
    <SwitchField of={TenantCreateInput} name="allowApply" on="接受" off="不接受" hint="凭加入码申请成为该客户的用户" />
    <SwitchField
      of={TenantCreateInput}
      name="adPlatformAudit"
      on="平台"
      off="客户"
      hint="该客户的广告由平台还是客户自己的人员审核"
    />
  </>
)

interface SceneSelectProps {
  /** The form sets the value. */
  value?: readonly number[]
  onChange?: (sceneIds: number[]) => void
  id?: string
  disabled?: boolean
  /** Ids and names of the tenant's current scenes. A disabled scene is offered only when the tenant already has it. */
  had?: { readonly sceneIds: readonly number[]; readonly sceneNames: readonly string[] } | undefined
}

/** Form field that selects the scenes of a tenant and can create a scene. */
function SceneSelect({ value = [], onChange, had, ...control }: SceneSelectProps) {
  const options = useSceneOptions(had)
  const inPlace = useCreateInPlace('scene', ({ id }) => onChange?.([...value, id]))
  return (
    <>
      <Select
        {...control}
        mode="multiple"
        allowClear
        placeholder="请选择业务场景"
        showSearch={{ optionFilterProp: 'label' }}
        {...inPlace.select}
        options={options}
        value={[...value]}
        onChange={(next: number[]) => onChange?.(next)}
      />
      {inPlace.form}
    </>
  )
}

function useSceneOptions(had: SceneSelectProps['had']) {
  const scenes = useSceneChoices()
  const offered = scenes.map(({ id, sceneName, isDefault }) => ({
    value: id,
    label: isDefault === 1 ? `${sceneName}（默认）` : sceneName,
  }))
  const known = new Set(scenes.map(({ id }) => id))
  const off = (had?.sceneIds ?? []).flatMap((id, at) =>
    known.has(id) ? [] : [{ value: id, label: `${had?.sceneNames[at] ?? id}（已停用）` }],
  )
  return scenes.length > 0 ? [...offered, ...off] : []
}

/** Creates a tenant from a select of tenants, and shows the one-time password of its administrator. */
export function TenantCreate({ onClose, onCreated }: CreateFormProps) {
  const [secret, setSecret] = useState<Administrator>()
  const isCreated = useRef(false)
  if (secret) return <AdministratorSecret {...secret} onClose={onClose} />
  return (
    <TenantAddForm
      // A saved form closes itself. The dialog with the password must stay open.
      onClose={() => !isCreated.current && onClose()}
      onMade={(made, name) => {
        isCreated.current = true
        setSecret(made)
        onCreated({ id: made.id, name })
      }}
    />
  )
}

/** The first administrator of a new tenant. */
export interface Administrator {
  readonly account: string
  readonly password: string
}

/** Shows the one-time password of a new tenant's administrator. */
export const AdministratorSecret = ({ account, password, onClose }: Administrator & { onClose(): void }) => (
  <OneTimeSecret
    title="客户已新增"
    owner="首位管理员"
    account={account}
    label="一次性密码"
    secret={password}
    hint="请通过安全的方式转交客户管理员。首次登录后必须修改密码。"
    onClose={onClose}
  />
)
