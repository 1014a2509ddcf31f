// By short names JAX-WS calls with one object that holds the parameters, and gets one that holds the result: it unwraps
// them only where the operation has the name of the element. This is the port with the operations' own names over that.
class ShortNames {
    static mailroll.MailrollSoap over(mailroll.MailrollShortSoap port) {
        Class<?>[] types = {mailroll.MailrollSoap.class};
        return (mailroll.MailrollSoap) java.lang.reflect.Proxy.newProxyInstance(
            ShortNames.class.getClassLoader(), types, (proxy, method, values) -> {
                for (java.lang.reflect.Method called : mailroll.MailrollShortSoap.class.getMethods()) {
                    Class<?> type = called.getParameterTypes()[0];
                    if (!type.getSimpleName().equalsIgnoreCase(method.getName())) continue;
                    try {
                        return resultOf(called.invoke(port, request(type, values)));
                    } catch (java.lang.reflect.InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                }
                throw new IllegalArgumentException(method.getName());
            });
    }

    static Object request(Class<?> type, Object[] values) throws ReflectiveOperationException {
        Object request = type.getDeclaredConstructor().newInstance();
        java.lang.reflect.Field[] fields = type.getDeclaredFields();
        for (int i = 0; i < fields.length; i++) {
            fields[i].setAccessible(true);
            fields[i].set(request, values[i]);
        }
        return request;
    }

    static Object resultOf(Object answer) throws ReflectiveOperationException {
        java.lang.reflect.Field result = answer.getClass().getDeclaredFields()[0];
        result.setAccessible(true);
        return result.get(answer);
    }
}
