import { FIRMWARE_COMPONENT, type ota, OTA_MESSAGES } from '@oms/contract/upgrade/ota.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { Alert, Form } from 'antd'
import { confirmDiscard } from '#kit/form/save/confirm-discard.ts'
import { useTab } from '#core/routing/tab.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { Page, Panel } from '#kit/record/page.tsx'
import { useSaveForm } from '#kit/form/save/use-save-form.ts'
import { ComponentList } from './component-list.tsx'
import { ComponentRows } from './component-rows.tsx'
import { type ArtifactKind, useArtifactKind } from './artifact-kind.ts'
import { VersionFields } from './version-fields.tsx'

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
  const { save, leave } = useOtaForm(props, `${key}:${place}`, listPath)
  return (
    <Page>
      <RestoredDraft {...save.draft} />
      {locked && <Alert type="info" showIcon title={OTA_MESSAGES.immutable} />}
      <Form {...save.form} className="kit-stack">
        <Panel title="版本信息">
          <VersionFields chosen={initial.otaVersion} locked={locked !== undefined} />
        </Panel>
        <Panel title="组件">
          {key === 'ota' && <NoFirmwareNote />}
          {locked ? <ComponentList components={locked.components} /> : <ComponentRows place={`${key}:${place}`} />}
        </Panel>
      </Form>
      <div className="kit-foot">
        <FormFooter form={save.name} saving={save.saving} onCancel={leave} />
      </div>
    </Page>
  )
}

/** Connects the form to its endpoint and its draft. */
function useOtaForm({ endpoint, initial, latest }: OtaFormProps, draft: string, listPath: string) {
  const tab = useTab()
  const save = useSaveForm(endpoint, {
    initial,
    draft,
    // Copies `rev` into `otaVersion`. After a conflict, `rev` is the latest revision.
    input: ({ otaVersion, components, rev }) =>
      ({ otaVersion: rev === undefined ? otaVersion : { ...(otaVersion as object), rev }, components }) as never,
    ...(latest && { latest }),
    onSaved: () => tab.close(listPath),
  })
  const leave = useConfirmedLeave(save.dirty, () => {
    save.forgetDraft()
    tab.close(listPath)
  })
  return { save, leave }
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
