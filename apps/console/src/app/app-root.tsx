import type { QueryClient } from '@tanstack/react-query'
import { QueryClientProvider } from '@tanstack/react-query'
import { App, ConfigProvider } from 'antd'
import zhCN from 'antd/locale/zh_CN'
import { type ReactNode, useEffect } from 'react'
import { AddressRouter } from '#kernel/router.tsx'
import { bindToaster } from '#kernel/toast.ts'
import { themeOf } from './look.ts'
import { useShade } from './theme.ts'

/** Everything a page may count on: theme, language, toasts, queries, addresses. */
export function AppRoot({ client, children }: { client: QueryClient; children: ReactNode }) {
  const shade = useShade()
  return (
    <QueryClientProvider client={client}>
      <ConfigProvider locale={zhCN} theme={themeOf(shade)} button={{ autoInsertSpace: false }}>
        <App className="app" message={{ maxCount: 5 }}>
          <Toasts />
          <AddressRouter>{children}</AddressRouter>
        </App>
      </ConfigProvider>
    </QueryClientProvider>
  )
}

function Toasts() {
  const { message } = App.useApp()
  useEffect(() => {
    bindToaster((level, text) => void message[level](<span role={level === 'error' ? 'alert' : 'status'}>{text}</span>))
  }, [message])
  return null
}
