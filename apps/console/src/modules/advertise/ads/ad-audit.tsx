import { type AdDetail, type AdRow, ads, type AdVersionRow } from '@oms/contract/advertise/ad.ts'
import { AuditInput } from '@oms/contract/advertise/ad-input.ts'
import { CHECKLIST, listChecks } from '@oms/contract/advertise/ad-rules.ts'
import { Button, Checkbox, Drawer, Form } from 'antd'
import { useRef } from 'react'
import { readFresh } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Field, NoteField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { AdFiles, AdNotes } from './ad-drawer.tsx'
import { AdPreview } from '../preview.tsx'
import '../advertise.css'

const APPROVE = 2
const REJECT = 3

/** Reviews the submitted content of an ad. */
export function AdAudit({ row, onClose }: { row: AdRow; onClose(): void }) {
  const read = () => readFresh(ads.get, { id: row.id }, row as AdDetail)
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="审核广告" onClose={onClose}>
      {(fresh) => <AuditForm ad={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function AuditForm({ ad, onClose }: { ad: AdDetail; onClose(): void }) {
  const { data, error, refetch } = useRead(ads.versions, { id: ad.id }, { quiet: true, keepPrevious: false })
  const submitted = data?.list.find(({ verNo }) => verNo === ad.verNo)
  const playing = data?.list.find(({ verNo }) => verNo === ad.approvedVer)
  const initial = { id: ad.id, verNo: ad.verNo, contentHash: '', auditStatus: APPROVE, checks: [] } as never
  const { drawer, footer, form } = useFormDrawer(ads.audit, { onClose, initial })
  const top = useRef<HTMLDivElement>(null)
  const afterOpenChange = (isOpen: boolean) => {
    drawer.afterOpenChange(isOpen)
    // The form moves the focus to its first field. A review begins with the creative, so scroll back to it.
    if (isOpen) requestAnimationFrame(() => top.current?.scrollIntoView({ block: 'start' }))
  }
  const setResult = (auditStatus: number) =>
    form.form.setFieldsValue({ auditStatus, verNo: ad.verNo, contentHash: submitted?.contentHash } as never)
  return (
    <Drawer
      {...drawer}
      afterOpenChange={afterOpenChange}
      title={`审核广告「${ad.adName}」`}
      footer={<Footer {...footer} canDecide={submitted !== undefined} onResult={setResult} />}
    >
      <div ref={top} style={{ scrollMarginTop: 24 }} />
      <AdNotes ad={ad} />
      <AdPreview ad={ad} />
      <AdFiles ad={ad} />
      {data && submitted ? (
        <VersionDiff submitted={submitted} playing={playing} isFirst={data.list.length === 1} />
      ) : (
        <Waiting reads={[{ error, refetch }]} rows={4} />
      )}
      <Form {...form}>
        <AuditFields adType={ad.adType} />
      </Form>
    </Drawer>
  )
}

interface FooterProps {
  /** Id of the form that both buttons submit. */
  readonly form: string
  readonly saving: boolean
  readonly canDecide: boolean
  onCancel(): void
  /** Sets the result that the form then sends. */
  onResult(auditStatus: number): void
}

const Footer = ({ form, saving, canDecide, onCancel, onResult }: FooterProps) => {
  const submits = { htmlType: 'submit', form, disabled: !canDecide, loading: saving } as const
  return (
    <div className="kit-form-footer">
      <Button onClick={onCancel}>取消</Button>
      <Button type="primary" {...submits} onClick={() => onResult(APPROVE)}>
        通过
      </Button>
      <Button danger {...submits} onClick={() => onResult(REJECT)}>
        驳回
      </Button>
    </div>
  )
}

const AuditFields = ({ adType }: Pick<AdDetail, 'adType'>) => (
  <>
    <Hidden />
    <Field of={AuditInput} name="checks">
      <Checkbox.Group
        className="kit-pair"
        options={listChecks(adType).map((value) => ({ value, label: CHECKLIST[value] }))}
      />
    </Field>
    <NoteField of={AuditInput} name="remark" rows={2} hint="驳回时必填，提交人可见" />
  </>
)

/** Hidden fields for the values that the buttons set. */
const Hidden = () => (
  <>
    {['id', 'verNo', 'contentHash', 'auditStatus'].map((name) => (
      <Form.Item key={name} name={name} hidden noStyle>
        <input type="hidden" />
      </Form.Item>
    ))}
  </>
)

interface VersionDiffProps {
  readonly submitted: AdVersionRow
  /** The version that plays now. */
  readonly playing: AdVersionRow | undefined
  /** True for the first version that was ever submitted. */
  readonly isFirst: boolean
}

/** Lists the content of the submitted version. Changed fields also show the value of the version that plays now. */
function VersionDiff({ submitted, playing, isFirst }: VersionDiffProps) {
  const before = new Map(playing?.content.map(({ field, value }) => [field, value]))
  const now = new Set(submitted.content.map(({ field }) => field))
  const removed = playing?.content.filter(({ field }) => !now.has(field)) ?? []
  return (
    <section className="ad-diff" aria-label="提交的内容">
      <h3 className="kit-heading">
        版本 {submitted.verNo}
        <small>{playing ? `与投放中的版本 ${playing.verNo} 比较` : isFirst ? '首次提交' : '此前没有通过的版本'}</small>
      </h3>
      <dl className="kit-facts">
        {submitted.content.map(({ field, title, value }) => {
          const isChanged = playing !== undefined && before.get(field) !== value
          return (
            <div key={field} className={isChanged ? 'ad-changed' : undefined}>
              <dt>{title}</dt>
              <dd>
                {isChanged && <del>{before.get(field) ?? '（空）'}</del>} {value}
              </dd>
            </div>
          )
        })}
        {removed.map(({ field, title, value }) => (
          <div key={field} className="ad-changed">
            <dt>{title}</dt>
            <dd>
              <del>{value}</del>（已清空）
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
