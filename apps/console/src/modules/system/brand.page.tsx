import { account } from '@oms/contract/account/account.ts'
import { brand, BrandInput, DEFAULT_ACCENT, findAccentProblem } from '@oms/contract/system/brand.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { UPLOAD } from '@oms/contract/core/upload.ts'
import { Button, Form, Input, Space } from 'antd'
import { useEffect } from 'react'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { getPermissions, setPermissions, useMayCall } from '#core/auth/session.tsx'
import { applyAccent } from '#core/theme/accent.ts'
import { useColorScheme } from '#core/theme/color-scheme.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { Field, SwitchField, TextField } from '#kit/form/field.tsx'
import { RestoredDraft } from '#kit/form/restored-draft.tsx'
import { usePageForm } from '#kit/form/use-page-form.ts'
import { Page, Panel } from '#kit/record/page.tsx'
import { ImageUpload } from '#kit/upload/image-upload.tsx'
import './brand.css'

type Stored = ResultOf<typeof brand.get>
const ONE_PICTURE = { ...UPLOAD.image, maxCount: 1 }

/** Name, pictures and colours of the console: of the installation, or of the tenant that the session works in. */
export default function BrandPage() {
  const read = useRead(brand.get, {}, { quiet: true })
  const { data } = read
  return (
    <Page
      title="品牌外观"
      intro={
        data?.tenantName
          ? `「${data.tenantName}」的人员登录后看到的名称、标志和颜色。没有填写的项使用系统的设置。`
          : '登录页和控制台的名称、标志和颜色。客户可以为自己的人员另行设置名称、标志和主题色。'
      }
    >
      {data ? <BrandForm stored={data} /> : <Waiting reads={[read]} rows={6} />}
    </Page>
  )
}

/** Edits a brand. A tenant has no login page, browser icon or footer of its own. */
export function BrandForm({ stored }: { stored: Stored }) {
  const isOwner = stored.tenantName === ''
  const mayEdit = useMayCall()(brand.update)
  const save = usePageForm(brand.update, stored, {
    draft: 'brand',
    latest: () => call(brand.get, {}),
    // A failure leaves the old brand until the next reload.
    onSaved: () => void showSaved().catch(() => {}),
  })
  return (
    <Form {...save.form} disabled={save.saving || !mayEdit} className="brand-form">
      <RestoredDraft {...save.draft} />
      {!mayEdit && <p className="kit-muted">您的账号只能查看品牌外观，不能修改。</p>}
      <Panel title="控制台">
        <div className="kit-pair">
          <TextField of={BrandInput} name="productName" hint="显示在菜单上方和浏览器标题中，默认「运营管理系统」" />
          <Field of={BrandInput} name="accent" hint="按钮、链接和所选项的颜色；白色文字在上面必须看得清">
            <AccentInput />
          </Field>
          <Field of={BrandInput} name="logo" hint="方形或横向的图片，背景透明，高度不小于 64 像素">
            <ImageUpload rule={ONE_PICTURE} />
          </Field>
          <Field of={BrandInput} name="logoDark" hint="深色主题和登录页左侧使用；不上传时使用上面的标志">
            <ImageUpload rule={ONE_PICTURE} />
          </Field>
          <SwitchField
            of={BrandInput}
            name="watermark"
            on="显示"
            off="不显示"
            hint={`在${isOwner ? '平台' : '客户'}人员的所有页面上淡淡地显示姓名、手机号后四位和日期`}
          />
        </div>
      </Panel>
      {isOwner && (
        <Panel title="登录页和浏览器">
          <div className="kit-pair">
            <Field
              of={BrandInput}
              name="loginPicture"
              hint="登录页左侧的图片，建议 1600 × 1600 像素；不上传时显示默认图案"
            >
              <ImageUpload rule={ONE_PICTURE} />
            </Field>
            <Field of={BrandInput} name="favicon" hint="浏览器页签上的图标，建议 64 × 64 像素的 PNG">
              <ImageUpload rule={ONE_PICTURE} />
            </Field>
            <TextField of={BrandInput} name="footer" hint="例如公司名称和版权声明" />
            <TextField of={BrandInput} name="registration" hint="例如 浙ICP备00000000号" />
          </div>
        </Panel>
      )}
      {mayEdit && (
        <Space>
          <Button type="primary" htmlType="submit" loading={save.saving}>
            保存
          </Button>
          <Button disabled={!save.dirty} onClick={() => save.load(stored)}>
            撤销修改
          </Button>
        </Space>
      )}
    </Form>
  )
}

/** Shows the saved brand in the open console without a reload. */
async function showSaved() {
  const { brand: next } = await call(account.perms, {}, { quiet: true })
  setPermissions({ ...getPermissions(), brand: next })
}

interface AccentProps {
  /** Set by Field. */
  readonly id?: string
  readonly value?: string
  readonly onChange?: (value: string) => void
  readonly onBlur?: () => void
}

/** Colour as text and as a colour chooser, with a preview in the whole console until the page is left. */
function AccentInput({ id, value = '', onChange, onBlur }: AccentProps) {
  const accent = value.trim().toLowerCase()
  const isUsable = findAccentProblem(accent) === undefined
  usePreview(isUsable ? accent : undefined)
  return (
    <Input
      {...(id && { id })}
      value={value}
      onChange={({ target }) => onChange?.(target.value)}
      onBlur={onBlur}
      placeholder={DEFAULT_ACCENT}
      maxLength={7}
      prefix={
        <input
          type="color"
          className="brand-colour"
          aria-label="选择主题色"
          value={isUsable && accent ? accent : DEFAULT_ACCENT}
          onChange={({ target }) => onChange?.(target.value)}
        />
      }
      suffix={
        value && (
          <Button type="link" size="small" onClick={() => onChange?.('')}>
            恢复默认
          </Button>
        )
      }
    />
  )
}

function usePreview(accent: string | undefined) {
  const scheme = useColorScheme()
  useEffect(() => {
    if (accent === undefined) return undefined
    applyAccent(accent || getPermissions().brand.accent, scheme)
    return () => applyAccent(getPermissions().brand.accent, scheme)
  }, [accent, scheme])
}
