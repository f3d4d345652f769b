import type { AdDetail } from '@oms/contract/advertise/ad.ts'
import { AdFields } from '@oms/contract/advertise/ad-input.ts'
import { MAX_PROOFS, needsApproval } from '@oms/contract/advertise/ad-rules.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Alert, Divider, Form, Select } from 'antd'
import { Field, TextField } from '#kit/form/field.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { DictSelect } from '#kit/pickers/dict-select.tsx'
import { FileUpload } from '#kit/upload/file-upload.tsx'
import { splitAddresses, parseFileId, joinAddresses } from '#kit/upload/stored-file.ts'

const PROOF_RULE = { ...UPLOAD.adProof, maxCount: MAX_PROOFS }
const idsOf = (value: unknown) => splitAddresses(String(value ?? '')).flatMap((address) => parseFileId(address) ?? [])
const addressesOf = (ids: unknown) => ({
  value: joinAddresses((Array.isArray(ids) ? (ids as string[]) : []).map((id) => `/api/v1/file/${id}`)),
})

/** Facts of the advertiser, the approval by authorities, and the period of validity. */
export function ReviewFields({ row }: { row: AdDetail | undefined }) {
  const categoryId = Form.useWatch<number | undefined>('categoryId')
  const isSpecial = needsApproval(categoryId === undefined ? undefined : Number(categoryId))
  const names = Object.fromEntries((row?.proofs ?? []).map(({ url, name }) => [url, name]))
  return (
    <>
      <Divider titlePlacement="start" plain>
        广告主与有效期
      </Divider>
      <div className="kit-pair">
        <TextField of={AdFields} name="advertiser" />
        <TextField of={AdFields} name="contractNo" />
        <DateField of={AdFields} name="validFrom" />
        <DateField of={AdFields} name="validTo" hint="当天仍播放，次日起自动停播" />
        <Field of={AdFields} name="categoryId" normalize={(value) => (value == null ? undefined : Number(value))}>
          <DictSelect type="ad_category" />
        </Field>
        <Field of={AdFields} name="tags">
          <Select mode="tags" placeholder="输入后按回车，最多10个" maxCount={10} open={false} suffixIcon={null} />
        </Field>
      </div>
      {isSpecial && <ApprovalFields />}
      <Field of={AdFields} name="proofs" normalize={idsOf} getValueProps={addressesOf}>
        <FileUpload rule={PROOF_RULE} purpose="adProof" names={names} />
      </Field>
    </>
  )
}

/** Approval number of the authorities, for categories that need one. */
const ApprovalFields = () => (
  <>
    <Alert type="warning" showIcon className="kit-note" title="该类广告须填写广告批准文号、有效期并上传证明文件" />
    <div className="kit-pair">
      <TextField of={AdFields} name="approvalNo" />
      <DateField of={AdFields} name="approvalUntil" />
    </div>
  </>
)
