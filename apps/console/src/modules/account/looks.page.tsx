import { Radio, Switch } from 'antd'
import type { ReactNode } from 'react'
import { useTheme } from '#kit/antd/use-theme.ts'
import type { TableDensity } from '#kit/table/table-settings.ts'
import { useLooks } from '#kit/table/use-looks.ts'
import { AccountSettings } from './account-settings.tsx'

const THEMES = [
  { value: 'light', label: '浅色' },
  { value: 'dark', label: '深色' },
  { value: '', label: '跟随系统' },
]
const DENSITIES: { value: TableDensity | ''; label: string }[] = [
  { value: '', label: '自动' },
  { value: 'large', label: '宽松' },
  { value: 'medium', label: '默认' },
  { value: 'small', label: '紧凑' },
]

/** Looks of the console for this account. Each choice applies at once. */
export default function LooksPage() {
  const theme = useTheme()
  const { looks, change } = useLooks()
  return (
    <AccountSettings title="外观" intro="修改立即生效，并保存在您的账号中，在其他电脑上登录时同样有效。">
      <ul className="looks">
        <Choice title="主题" about="「跟随系统」随电脑的设置在浅色和深色之间切换。">
          <Radio.Group
            aria-label="主题"
            optionType="button"
            options={THEMES}
            value={theme.chosen}
            onChange={({ target }) => theme.choose(target.value)}
          />
        </Choice>
        <Choice title="列表密度" about="「自动」在较矮的窗口中使用紧凑的行。单个列表可以在它的工具栏中另行设置。">
          <Radio.Group
            aria-label="列表密度"
            optionType="button"
            options={DENSITIES}
            value={looks.density ?? ''}
            onChange={({ target }) => change({ density: target.value || undefined })}
          />
        </Choice>
        <Choice title="页签栏" about="在页面上方显示已打开的页面。关闭后可用搜索框中的「最近访问」切换。">
          <Switch aria-label="页签栏" checked={!looks.hidesTabs} onChange={(on) => change({ hidesTabs: !on })} />
        </Choice>
        <Choice title="减少动画" about="打开对话框、菜单和翻页时不再播放动画。">
          <Switch
            aria-label="减少动画"
            checked={looks.reducesMotion === true}
            onChange={(reducesMotion) => change({ reducesMotion })}
          />
        </Choice>
        <Choice title="色弱模式" about="用蓝色和橙色代替绿色和红色表示状态，并给链接加下划线。">
          <Switch
            aria-label="色弱模式"
            checked={looks.isColourWeak === true}
            onChange={(isColourWeak) => change({ isColourWeak })}
          />
        </Choice>
      </ul>
    </AccountSettings>
  )
}

const Choice = ({ title, about, children }: { title: string; about: string; children: ReactNode }) => (
  <li>
    <div>
      <strong>{title}</strong>
      <p>{about}</p>
    </div>
    {children}
  </li>
)
