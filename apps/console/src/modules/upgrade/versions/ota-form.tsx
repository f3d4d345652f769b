import {
  DEFAULT_COMPONENT_TYPE,
  type ota,
  FIRMWARE_COMPONENT,
  OTA_MESSAGES,
  COMPONENT_TYPE,
  MAX_COMPONENTS,
  OtaComponentInput,
} from '@oms/contract/upgrade/ota.ts'
import { useArtifactKind, type ArtifactKind } from './artifact-kind.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Skeleton, Alert, Form, type FormInstance, Button, Popconfirm } from 'antd'
import { useRef, useState } from 'react'
import { useParams } from 'react-router'
import { call } from '#core/api/client.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { useTabTitle, useTab } from '#core/routing/tab.tsx'
import { LoadErrorPage } from '#kit/feedback/load-error-page.tsx'
import { Panel, Page } from '#kit/record/page.tsx'
import { confirmDiscard } from '#kit/form/save/confirm-discard.ts'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { useSaveForm } from '#kit/form/save/use-save-form.ts'
import { ComponentList } from './component-list.tsx'
import { VersionFields } from './version-fields.tsx'
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { SelectField, TextField, buildFieldRules } from '#kit/form/field.tsx'
import { useDictLabels } from '#kit/pickers/dict-words.tsx'
import './ota.css'
import { about } from '@oms/contract/core/fields.ts'
import { Allowed, useCan } from '#core/auth/session.tsx'
import { ComponentUpload } from '#kit/upload/component-upload.tsx'
import { parseFileId, type StoredFile } from '#kit/upload/stored-file.ts'

const EMPTY = { otaVersion: {}, components: [{ type: DEFAULT_COMPONENT_TYPE }] }

/** Adds a version of the current artifact kind. */
export function VersionAddForm() {
  const { calls } = useArtifactKind()
  return <OtaForm endpoint={calls.create} place="new" initial={EMPTY} />
}

type Version = ResultOf<typeof ota.get>

/** Loads the version in the URL and shows its form. */
export function VersionEditForm() {
  const { calls, listPath } = useArtifactKind()
  const otaId = Number(useParams().id)
  // Edits only data that was read after opening, because the server refuses a save with an older revision.
  const read = useRead(calls.get, { otaId }, { quiet: true, keepPrevious: false, staleTime: 0 })
  const { data, error, isFetchedAfterMount, refetch } = read
  useTabTitle(data && `编辑 ${data.otaVersion.verName}`)
  const [opened, setOpened] = useState<Version>()
  // Keeps the opened view when another user changes the version or a later request fails.
  if (!opened && data && isFetchedAfterMount && !error) setOpened(data)
  if (opened) return <Opened version={opened} />
  if (error) return <LoadErrorPage refusal={error} onRetry={() => void refetch()} list={listPath} />
  return (
    <Panel>
      <Skeleton active paragraph={{ rows: 10 }} />
    </Panel>
  )
}

function Opened({ version }: { version: Version }) {
  const { calls } = useArtifactKind()
  const { otaId, status } = version.otaVersion
  const latest = () => call(calls.get, { otaId })
  return (
    <OtaForm
      endpoint={calls.update}
      place={String(otaId)}
      initial={version}
      latest={latest}
      locked={status === 0 ? undefined : version}
    />
  )
}

interface OtaFormProps {
  endpoint: ArtifactKind['calls']['create'] | ArtifactKind['calls']['update']
  /** Key that separates the drafts and uploads of this version from those of other versions. */
  place: string
  initial: { otaVersion: object; components: readonly object[] }
  /** Set for a version that is or was enabled. Its number, model and components cannot be changed. */
  locked?: ResultOf<typeof ota.get> | undefined
  latest?: () => Promise<object>
}

/** Form of a version and its components. After a successful save it closes its tab and refreshes the list. */
export function OtaForm(props: OtaFormProps) {
  const { place, initial, locked } = props
  const { key, listPath } = useArtifactKind()
  const { save, leave, publish, onSubmitCapture, isEnabling } = useOtaForm(props, `${key}:${place}`, listPath)
  return (
    <Page>
      <RestoredDraft {...save.draft} />
      {locked && <Alert type="info" showIcon title={OTA_MESSAGES.immutable} />}
      <Form {...save.form} className="kit-stack" onSubmitCapture={onSubmitCapture}>
        <Panel title="组件">
          {key === 'ota' && <NoFirmwareNote />}
          {locked ? <ComponentList components={locked.components} /> : <ComponentRows place={`${key}:${place}`} />}
        </Panel>
        <Panel title="版本信息">
          <VersionFields chosen={initial.otaVersion} locked={locked !== undefined} />
        </Panel>
      </Form>
      <div className="kit-foot">
        <FormFooter
          form={save.name}
          saving={save.saving || isEnabling}
          onCancel={leave}
          extra={!locked && <PublishButton isSaving={save.saving || isEnabling} onConfirm={publish} />}
        />
      </div>
    </Page>
  )
}

/** Connects the form to its endpoint and its draft. */
function useOtaForm({ endpoint, place, initial, latest }: OtaFormProps, draft: string, listPath: string) {
  const tab = useTab()
  const { calls } = useArtifactKind()
  const enable = useWrite(calls.enable)
  const publishes = useRef(false)
  // A version that could not be enabled is saved; the call has shown its error.
  const isEnabled = (otaId: number) =>
    enable.mutateAsync({ otaId }).then(
      () => true,
      () => false,
    )
  const save = useSaveForm(endpoint, {
    initial,
    draft,
    // Copies `rev` into `otaVersion`. After a conflict, `rev` is the latest revision.
    input: ({ otaVersion, components, rev }) =>
      ({ otaVersion: rev === undefined ? otaVersion : { ...(otaVersion as object), rev }, components }) as never,
    ...(latest && { latest }),
    onSaved: async (result) => {
      const otaId = 'otaId' in result ? result.otaId : Number(place)
      const opens = publishes.current && (await isEnabled(otaId))
      tab.close(opens ? `${listPath}/release/${otaId}` : listPath)
    },
  })
  // The save button sends a submit event; the call of `submit` below sends none.
  const onSubmitCapture = () => {
    publishes.current = false
  }
  const publish = () => {
    publishes.current = true
    save.form.form.submit()
  }
  const leave = useConfirmedLeave(save.dirty, () => {
    save.forgetDraft()
    tab.close(listPath)
  })
  return { save, leave, publish, onSubmitCapture, isEnabling: enable.isPending }
}

/** Saves and enables the version, and opens its release page. */
function PublishButton({ isSaving, onConfirm }: { isSaving: boolean; onConfirm(): void }) {
  const { calls } = useArtifactKind()
  const title = '启用后，版本号、型号和组件不能再修改，版本不能删除。'
  return (
    <Allowed to={calls.enable}>
      <Popconfirm title={title} okText="启用并发布" cancelText="取消" onConfirm={onConfirm}>
        <Button disabled={isSaving}>启用并发布</Button>
      </Popconfirm>
    </Allowed>
  )
}

/** Warns that a version without a component of the type firmware (固件) installs nothing. */
function NoFirmwareNote() {
  const components = Form.useWatch('components') as readonly ({ type?: number } | undefined)[] | undefined
  if (!components || components.some((component) => component?.type === FIRMWARE_COMPONENT)) return null
  const text = '还没有「固件」类型的组件，设备收到该版本后没有可安装的固件'
  return <Alert className="kit-note" type="warning" showIcon title={text} />
}

function useConfirmedLeave(dirty: boolean, leave: () => void) {
  return () => {
    if (!dirty) return leave()
    confirmDiscard(leave)
  }
}

/** Form fields for the components of a version, one card for each component. */
function ComponentRows({ place }: { place: string }) {
  return (
    <Form.List name="components">
      {(rows, { add, remove }) => (
        <div>
          {rows.map(({ key, name }) => (
            <ComponentRow key={key} index={name} place={`${place}:${name}`} onRemove={() => remove(name)} />
          ))}
          <ReasonedButton
            type="dashed"
            block
            icon={<PlusOutlined />}
            reason={rows.length >= MAX_COMPONENTS ? `组件最多 ${MAX_COMPONENTS} 个` : undefined}
            onClick={() => add({ type: DEFAULT_COMPONENT_TYPE })}
          >
            添加组件
          </ReasonedButton>
        </div>
      )}
    </Form.List>
  )
}

function ComponentRow({ index, place, onRemove }: { index: number; place: string; onRemove(): void }) {
  const title = `组件 ${index + 1}`
  return (
    <fieldset className="kit-box" aria-label={title}>
      <div className="kit-row kit-apart">
        <strong>{title}</strong>
        <Popconfirm title={`移除${title}？`} okText="移除" cancelText="取消" onConfirm={onRemove}>
          <Button type="text" size="small" danger icon={<DeleteOutlined />} aria-label={`移除${title}`} />
        </Popconfirm>
      </div>
      <div className="ota-row-fields">
        <ListedField index={index} />
        <ComponentFile index={index} place={place} />
      </div>
    </fieldset>
  )
}

function ListedField({ index }: { index: number }) {
  const types = useDictLabels('ota_component_type', COMPONENT_TYPE).options
  return (
    <div>
      <TextField of={OtaComponentInput} name="name" within={[index]} />
      <SelectField of={OtaComponentInput} name="type" within={[index]} options={types} />
    </div>
  )
}

/** A component in the form. A saved component has a file name; a new component gets it from the upload. */
interface FormComponent {
  name?: string
  type?: number
  fileName?: string
  url?: string
  size?: number
  md5?: string
  sha1?: string
  sha256?: string
}

/** File of one component, with the upload that replaces the file. */
function ComponentFile({ index, place }: { index: number; place: string }) {
  const { title } = about(OtaComponentInput, 'url')
  return (
    <Form.Item name={[index, 'url']} label={title} {...buildFieldRules({ of: OtaComponentInput, name: 'url' })}>
      <FileControl index={index} place={place} />
    </Form.Item>
  )
}

function FileControl(props: { id?: string; index: number; place: string; onChange?(url: string): void }) {
  const { id, index, place, onChange } = props
  const can = useCan()
  const { calls, key } = useArtifactKind()
  const form = Form.useFormInstance()
  const path = ['components', index]
  const held = Form.useWatch(path, { form, preserve: true }) as FormComponent | undefined
  const take = (file: StoredFile) => {
    const { name: fileName, url, size, md5, sha1, sha256 } = file
    const before = form.getFieldValue(path) as FormComponent | undefined
    const name = before?.name || stemOf(fileName)
    // Most .bin files are firmware images. A type that the user has chosen is not changed.
    const isImage = key === 'ota' && /\.bin$/i.test(fileName) && before?.type === DEFAULT_COMPONENT_TYPE
    const type = isImage && !form.isFieldTouched([...path, 'type']) ? FIRMWARE_COMPONENT : before?.type
    form.setFieldValue(path, { ...before, name, type, fileName, size, md5, sha1, sha256 })
    // Notifies the form, which then stores the draft. The URL is set only here: a URL that is already set would cause
    // no change event.
    onChange?.(url)
    fillVersion(form, fileName)
    // Clears the validation errors of the fields that the upload has filled.
    void form
      .validateFields([
        [...path, 'name'],
        [...path, 'url'],
      ])
      .catch(() => {})
  }
  if (!can(calls.upload.access)) return <>{held?.fileName ?? '您没有上传组件的权限'}</>
  return <ComponentUpload id={id} place={place} value={fileOf(held)} onChange={take} />
}

/** Fills the empty version name from a file name such as `camera_1.2.3.bin`, and the empty number from `camera_3200.bin`. */
function fillVersion(form: FormInstance, fileName: string) {
  const { version, number } = parseVersion(fileName)
  for (const [field, value] of [
    ['verName', version],
    ['verCode', number],
  ] as const) {
    const path = ['otaVersion', field]
    if (value === undefined || String(form.getFieldValue(path) ?? '').trim() !== '') continue
    form.setFieldValue(path, value)
    void form.validateFields([path]).catch(() => {})
  }
}

const parseVersion = (fileName: string) => ({
  version: /[-_ ]v?(\d+(?:\.\d+){1,3})\.[a-z]\w*$/i.exec(fileName)?.[1],
  number: /[-_ ]v?(\d{1,9})\.[a-z]\w*$/i.exec(fileName)?.[1],
})

function fileOf(held: FormComponent | undefined): StoredFile | undefined {
  if (!held?.url) return undefined
  const { url, fileName = held.name ?? '', size = 0, md5 = '', sha1 = '', sha256 = '' } = held
  return { id: parseFileId(url) ?? '', name: fileName, url, size, md5, sha1, sha256 }
}

const MAX_NAME = about(OtaComponentInput, 'name').max ?? 15
/**
 * Returns the file name without its extension, cut to the maximum length of a component name: `firmware-1.2.bin` →
 * `firmware-1.2`.
 */
const stemOf = (fileName: string) => fileName.replace(/\.[^.]*$/, '').slice(0, MAX_NAME)
