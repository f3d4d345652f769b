import type { Manifest } from '@oms/contract/advertise/engine/manifest.ts'
import { programs, type ProgramDetailRow } from '@oms/contract/advertise/program.ts'
import { ProgramInput } from '@oms/contract/advertise/program-input.ts'
import { programPublish } from '@oms/contract/advertise/program-publish.ts'
import type { InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import { Button, Form, type FormInstance } from 'antd'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { call } from '#core/api/client.ts'
import { Allowed } from '#core/auth/session.tsx'
import { useTab } from '#core/routing/tab.tsx'
import { ReasonedButton } from '#kit/feedback/reasoned-button.tsx'
import { confirmDiscard } from '#kit/form/save/confirm-discard.ts'
import { buildFieldRules } from '#kit/form/field.tsx'
import { selectAcceptedFields } from '#kit/form/form-values.ts'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { useSaveForm } from '#kit/form/save/use-save-form.ts'
import { Page } from '#kit/record/page.tsx'
import { ConflictDialog, DryRunDialog } from './check-dialogs.tsx'
import { DraftStrip } from '../timeline/draft-strip.tsx'
import { PROGRAM_LIST_PATH } from './program-cells.tsx'
import { ProgramFields } from './program-fields.tsx'
import { ProgramPreview } from '../preview.tsx'
import { ProgramTrack } from '../timeline/program-track.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import './program.css'
import { programChecks } from '@oms/contract/advertise/program-check.ts'
import { ALL_WEEKDAYS } from '@oms/contract/advertise/program-words.ts'
import { formatDayBeforeToday } from '#core/text/format.ts'
import { buildTrackItems } from '../timeline/track-items.ts'

const editPath = (id: number, then?: AfterSave) => `${PROGRAM_LIST_PATH}/edit/${id}${then ? `?then=${then}` : ''}`

/** Dialog that opens after saving. */
type AfterSave = 'publish'
export const parseAfterSave = (text: string | null): AfterSave | undefined => (text === 'publish' ? text : undefined)

interface Props {
  readonly endpoint: typeof programs.create | typeof programs.update
  /** Undefined for a new program. */
  readonly id: number | undefined
  readonly tenantId: number | undefined
  readonly tenantName?: string
  readonly initial: object
  readonly targets: readonly { id: number; name: string }[]
  /** Dialog that is open from the start. */
  readonly opens?: AfterSave | undefined
  /** Called after the dialog of `opens` has opened. */
  readonly onOpened?: (() => void) | undefined
}

/** Editor of a program: ads, track, schedule, and the 24 hours of a screen with the edited content. */
export function ProgramEditor({ endpoint, id, tenantId, tenantName, initial, targets, opens, onOpened }: Props) {
  const { save, after, opened, setOpened, leave } = useEditor({ endpoint, id, initial, opens, onOpened })
  const playMode = Form.useWatch('playMode', save.form.form) as number | undefined
  const chosenTenant = Form.useWatch('tenantId', save.form.form) as number | undefined
  const owner = tenantId ?? chosenTenant
  const { checked, check, closeCheck } = useDraftCheck(save.form.form, { id, tenantId: owner })
  const { manifest, hasFailed, onManifest } = useShownManifest()
  const [isPreviewing, setPreviewing] = useState(false)
  return (
    <Page>
      <RestoredDraft {...save.draft} />
      <Form {...save.form} className="ad-editor">
        <div className="ad-editor-columns">
          <Form.Item
            name="items"
            className="ad-editor-track"
            {...buildFieldRules({ of: ProgramInput, name: 'items' })}
            validateTrigger="onSubmit"
            // An empty status, because an error of this field would also mark the search input of the library as
            // invalid.
            validateStatus=""
          >
            <ProgramTrack tenantId={owner} isWeighted={playMode === 4} />
          </Form.Item>
          <ProgramFields targets={targets} tenantId={owner} owner={id === undefined ? 'new' : tenantName} />
        </div>
        <DraftStrip id={id} tenantId={owner} onManifest={onManifest} />
      </Form>
      <EditorFoot save={save} isStored={id !== undefined} onLeave={leave} onCheck={check} onThen={after}>
        <PreviewButton isReady={manifest !== undefined} hasFailed={hasFailed} onClick={() => setPreviewing(true)} />
      </EditorFoot>
      {isPreviewing && manifest && (
        <ProgramPreview manifest={manifest} id={id ?? 0} onClose={() => setPreviewing(false)} />
      )}
      {checked?.kind === 'conflict' && <ConflictDialog draft={checked.draft} onClose={closeCheck} />}
      {checked?.kind === 'dryRun' && <DryRunDialog draft={checked.draft} onClose={closeCheck} />}
      {id !== undefined && opened === 'publish' && <PublishDialog id={id} onClose={() => setOpened(undefined)} />}
    </Page>
  )
}

/** Stores the last manifest of the edited content, and whether its last request failed. */
function useShownManifest() {
  const [shown, setShown] = useState<{ manifest?: Manifest | undefined; hasFailed: boolean }>({ hasFailed: false })
  const onManifest = useCallback(
    (manifest: Manifest | undefined, hasFailed: boolean) => setShown({ manifest, hasFailed }),
    [],
  )
  return { ...shown, onManifest }
}

interface PreviewButtonProps {
  readonly isReady: boolean
  readonly hasFailed: boolean
  onClick(): void
}

function PreviewButton({ isReady, hasFailed, onClick }: PreviewButtonProps) {
  const missing = hasFailed ? '预演加载失败，重试后可以预览' : '添加广告并填写投放时间后可以预览'
  return (
    <ReasonedButton reason={isReady ? undefined : missing} onClick={onClick}>
      预览
    </ReasonedButton>
  )
}

interface FootProps {
  readonly save: Pick<ReturnType<typeof useEditor>['save'], 'dirty' | 'name' | 'saving'>
  readonly isStored: boolean
  onLeave(): void
  onCheck(kind: DraftCheck): void
  onThen(then: AfterSave): void
  readonly children: ReactNode
}

const EditorFoot = ({ save: { dirty, name, saving }, isStored, onLeave, onCheck, onThen, children }: FootProps) => (
  <footer className="kit-foot kit-row ad-editor-foot">
    <span className="kit-muted kit-main">{dirty ? '有未保存的修改' : isStored ? '已保存' : ''}</span>
    <Button onClick={onLeave}>{dirty ? '取消' : '返回'}</Button>
    <Button htmlType="submit" form={name} loading={saving}>
      保存草稿
    </Button>
    {children}
    <Button onClick={() => onCheck('conflict')}>冲突检查</Button>
    <Button onClick={() => onCheck('dryRun')}>发布预演</Button>
    <Allowed to={programPublish.publish}>
      <Button type="primary" onClick={() => onThen('publish')}>
        提交发布
      </Button>
    </Allowed>
  </footer>
)

type Values = Record<string, unknown>

type EditorOptions = Pick<Props, 'endpoint' | 'id' | 'initial' | 'opens' | 'onOpened'>

function useEditor({ endpoint, id, initial, opens, onOpened }: EditorOptions) {
  const tab = useTab()
  const [opened, setOpened] = useState(opens)
  useEffect(() => {
    if (opens !== undefined) onOpened?.()
  }, [opens, onOpened])
  const next = useRef<AfterSave>(undefined)
  const reload = async (program: number) => save.load(toEditorValues(await call(programs.get, { id: program })))
  const save = useSaveForm(endpoint, {
    initial,
    draft: `adProgram:${id ?? 'new'}`,
    input: (values: Values) => selectAcceptedFields(endpoint, values) as InputOf<typeof endpoint>,
    ...(id !== undefined && { latest: async () => toEditorValues(await call(programs.get, { id })) }),
    onSaved: (result: ResultOf<typeof endpoint>) => {
      const wanted = next.current
      next.current = undefined
      if (id === undefined) return tab.close(editPath((result as { id: number }).id, wanted))
      // Loads the program again, because the save gave ids to new items.
      void reload(id).then(() => setOpened(wanted))
    },
  })
  const after = (wanted: AfterSave | undefined) => {
    if (!save.dirty && id !== undefined) return setOpened(wanted)
    next.current = wanted
    save.form.form.submit()
  }
  const close = () => {
    save.forgetDraft()
    tab.close(PROGRAM_LIST_PATH)
  }
  const leave = () => {
    if (!save.dirty) return close()
    confirmDiscard(close)
  }
  return { save, after, opened, setOpened, leave }
}

/** Check of the edited content, which is not saved for it. */
type DraftCheck = 'conflict' | 'dryRun'
type Draft = InputOf<typeof programChecks.draftConflict>

interface Edited {
  readonly id: number | undefined
  readonly tenantId: number | undefined
}

/** Returns the open check with the content that it checks. An incomplete form shows its errors and opens no check. */
function useDraftCheck(form: FormInstance, { id, tenantId }: Edited) {
  const [checked, setChecked] = useState<{ kind: DraftCheck; draft: Draft }>()
  const check = (kind: DraftCheck) =>
    void form.validateFields().then(
      () => {
        const values = { ...(form.getFieldsValue(true) as object), id, tenantId }
        setChecked({ kind, draft: selectAcceptedFields(programChecks.draftConflict, values) as Draft })
      },
      ({ errorFields = [] }: { errorFields?: { name: (string | number)[] }[] }) => {
        const [first] = errorFields
        if (first) form.scrollToField(first.name, { block: 'center', focus: true })
      },
    )
  return { checked, check, closeCheck: () => setChecked(undefined) }
}

/** Values of the editor for a stored program. */
export function toEditorValues(program: ProgramDetailRow) {
  const { id, rev, programName, description, items, playMode, priority, insertMode, shareOfVoice } = program
  const { dateFrom, dateTo, weekdays, dayParts, targetType, targetIds, resolution } = program
  const rules = { playMode, priority, insertMode, shareOfVoice, isDefault: program.isDefault }
  const times = { dateFrom, dateTo, weekdays, dayParts }
  return {
    id,
    rev,
    programName,
    description,
    items: buildTrackItems(items),
    ...rules,
    ...times,
    targetType,
    targetIds,
    resolution,
  }
}

const DAYS = 30

/** Default values of the editor for a new program: 30 days from today, all day. */
export const createEditorValues = () => ({
  description: '',
  items: [],
  playMode: 1,
  priority: 0,
  insertMode: 0,
  dateFrom: formatDayBeforeToday(),
  dateTo: formatDayBeforeToday(1 - DAYS),
  weekdays: ALL_WEEKDAYS,
  dayParts: [],
  targetType: 1,
  targetIds: [],
  resolution: '',
  isDefault: 0,
})
