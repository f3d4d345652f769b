import { theme as antd, type ThemeConfig } from 'antd'
import type { ColorScheme } from '#core/theme/color-scheme.ts'

const FONT = `-apple-system, "Segoe UI", "PingFang SC", "Hiragino Sans GB", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif`

// Sets blue, placeholder and description colours, because antd's defaults have a contrast below 4.5.
const LIGHT = {
  colorPrimary: '#155eef',
  colorInfo: '#155eef',
  colorPrimaryHover: '#0f4bc4',
  colorPrimaryActive: '#0b3aa0',
  colorLink: '#155eef',
  colorLinkHover: '#0f4bc4',
  colorLinkActive: '#0b3aa0',
  colorSuccess: '#15803d',
  colorError: '#c5221a',
  colorWarning: '#b54708',
  colorBgLayout: '#f4f6fa',
  colorTextPlaceholder: 'rgba(16, 24, 40, 0.6)',
  colorTextDescription: 'rgba(16, 24, 40, 0.66)',
  colorTextTertiary: 'rgba(16, 24, 40, 0.66)',
  colorTextHeading: '#101828',
}
/** Sets colours that antd would derive with too little contrast: dark tags, and links in the dark theme. */
const EXACT_LIGHT = {
  colorInfoBg: '#e9f1ff',
  colorInfoBorder: '#b2ccff',
  colorSuccessBg: '#effaf3',
  colorSuccessBorder: '#a6dcb9',
  colorWarningBg: '#fff6ea',
  colorWarningBorder: '#f3c999',
  colorErrorBg: '#fff1f0',
  colorErrorBorder: '#f5b7b1',
  // antd's tag colours have a contrast below 4.5 on their light backgrounds.
  green7: '#237804',
  orange7: '#ad4e00',
  gold7: '#874d00',
  cyan7: '#006d75',
  lime7: '#3f6600',
  yellow7: '#765700',
  volcano7: '#ad2102',
}
const EXACT_DARK = {
  colorLink: '#84adff',
  colorLinkHover: '#b2ccff',
  colorLinkActive: '#84adff',
  colorInfo: '#84adff',
  colorInfoBg: '#12233f',
  colorInfoBorder: '#27497f',
  colorSuccess: '#4cc38a',
  colorSuccessBg: '#10291d',
  colorSuccessBorder: '#1f5a3c',
  colorWarning: '#f0a63a',
  colorWarningBg: '#2e2110',
  colorWarningBorder: '#66481a',
  colorErrorBg: '#33191a',
  colorErrorBorder: '#7a3432',
}
const DARK = {
  colorPrimary: '#3d7bfd',
  colorInfo: '#3d7bfd',
  colorError: '#ff9a92',
  colorBgLayout: '#0d1117',
  colorBgContainer: '#151b23',
  colorBgElevated: '#1c232d',
  colorTextPlaceholder: 'rgba(255, 255, 255, 0.6)',
  colorTextDescription: 'rgba(255, 255, 255, 0.66)',
  colorTextTertiary: 'rgba(255, 255, 255, 0.66)',
}

type Algorithm = typeof antd.darkAlgorithm
const exact =
  (base: Algorithm, tokens: object): Algorithm =>
  (seed) => ({ ...base(seed), ...tokens })
const ALGORITHMS = {
  light: exact(antd.defaultAlgorithm, EXACT_LIGHT),
  dark: exact(antd.darkAlgorithm, EXACT_DARK),
}

/**
 * The theme of the console. During development antd computes styles from it. A build contains the computed rules and
 * variables as static files (`build/antd-styles.ts`) and replaces this file by the few remaining values
 * (`build/static-theme.ts`).
 */
export const createTheme = (shade: ColorScheme): ThemeConfig => ({
  zeroRuntime: true,
  hashed: false,
  cssVar: { key: 'css-var-root' },
  algorithm: ALGORITHMS[shade],
  token: { ...(shade === 'dark' ? DARK : LIGHT), borderRadius: 6, fontFamily: FONT },
})
