import { ConfigProvider } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import type { ReactNode } from 'react'
import { useColorScheme } from '#core/theme/color-scheme.ts'
import { Drawing } from '#kit/drawing.tsx'
import { createTheme } from './theme.ts'

/** The second press of a double press falls on the mask. It must not close the dialog that the first one opened. */
const MODAL = { mask: { closable: false } } as const
const EMPTY = { image: <Drawing of="list" /> }

/**
 * Provides antd's theme and Chinese locale. Each page (`app/pages/lazy-page.tsx`) and each part of the layout that uses
 * antd has its own root, because the layout and the home page render before antd is loaded.
 */
export function AntdRoot({ children }: { children: ReactNode }) {
  return (
    <ConfigProvider
      locale={zhCN}
      theme={createTheme(useColorScheme())}
      button={{ autoInsertSpace: false }}
      modal={MODAL}
      empty={EMPTY}
    >
      {children}
    </ConfigProvider>
  )
}
