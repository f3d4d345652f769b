import { Alert, Button, Form } from 'antd'
import { useEffect, useEffectEvent } from 'react'
import { useDraft } from '#kernel/draft.ts'
import { dialogs } from '#kernel/overlays.ts'
import { useTab } from '#kernel/tab.tsx'
import { FormFooter } from '#kit/form-footer.tsx'
import { Page, Panel } from '#kit/page.tsx'
import { useSaveForm } from '#kit/use-save-form.ts'
import { ComponentRows } from './component-rows.tsx'
import { type Family, useFamily } from './family.ts'
import './ota.css'
import { VersionFields } from './version-fields.tsx'

interface OtaFormProps {
  endpoint: Family['calls']['create'] | Family['calls']['update']
  /** Tells the drafts and uploads of this version from those of others. */
  place: string
  initial: { otaVersion: object; components: readonly object[] }
  latest?: () => Promise<object>
}

/** The form of a version and its components. Saved, it closes its tab and the list shows the change. */
export function OtaForm({ endpoint, place, initial, latest }: OtaFormProps) {
  const tab = useTab()
  const { key, listPath } = useFamily()
  const save = useSaveForm(endpoint, {
    initial,
    // A conflict answered with "save over it" brings the newer revision; it belongs to the version.
    input: ({ otaVersion, components, rev }) =>
      ({ otaVersion: rev === undefined ? otaVersion : { ...(otaVersion as object), rev }, components }) as never,
    ...(latest && { latest }),
    onSaved: () => {
      draft.clear()
      tab.close(listPath)
    },
  })
  const draft = useDraft(`${key}:${place}`, save.form.form)
  const changed = () => {
    save.form.onValuesChange()
    draft.onValuesChange()
  }
  useRestoredIsDirty(draft.restored, save.form.onValuesChange)
  const startOver = () => {
    save.load(initial)
    draft.clear()
  }
  const leave = useLeave(save.dirty, () => {
    draft.clear()
    tab.close(listPath)
  })
  return (
    <Page>
      {draft.restored && (
        <Alert
          type="info"
          showIcon
          title="已恢复上次未保存的内容"
          action={
            <Button size="small" onClick={startOver}>
              放弃并重新填写
            </Button>
          }
        />
      )}
      <Form {...save.form} onValuesChange={changed} className="ota-form">
        <Panel title="版本信息">
          <VersionFields chosen={initial.otaVersion} />
        </Panel>
        <Panel title="组件">
          <ComponentRows place={`${key}:${place}`} />
        </Panel>
      </Form>
      <div className="ota-foot">
        <FormFooter form={save.name} saving={save.saving} onCancel={leave} />
      </div>
    </Page>
  )
}

/** What comes back from a draft is unsaved work like any other. */
function useRestoredIsDirty(restored: boolean, mark: () => void) {
  const onRestored = useEffectEvent(mark)
  useEffect(() => {
    if (restored) onRestored()
  }, [restored])
}

function useLeave(dirty: boolean, leave: () => void) {
  return () => {
    if (!dirty) return leave()
    dialogs.confirm({
      title: '放弃未保存的内容？',
      content: '关闭后，本次填写的内容将丢失。',
      okText: '放弃',
      okButtonProps: { danger: true },
      cancelText: '继续编辑',
      onOk: leave,
    })
  }
}
