// The steps on standard input, and what came of each as a line of JSON: the same for both of Java's clients.
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Calendar;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.xml.datatype.XMLGregorianCalendar;

final class Steps {
    interface Caller {
        Object call(String operation, Map<String, String> given) throws Exception;
    }
    /** Gives back code and text of a fault, and throws on what is none. */
    interface Explainer {
        Map<String, String> explain(Exception exception) throws Exception;
    }

    static void take(Caller caller, Explainer explainer) throws Exception {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null;) {
            String[] cells = line.split("\t", -1);
            Map<String, String> given = new HashMap<>();
            for (int i = 1; i < cells.length; ++i) given.put(cells[i].split("=", 2)[0], cells[i].split("=", 2)[1]);
            try {
                out.println("{\"result\":" + json(caller.call(cells[0], given)) + "}");
            } catch (Exception exception) {
                Map<String, Object> fault = new LinkedHashMap<>(explainer.explain(exception));
                fault.put("type", exception.getClass().getName());
                out.println("{\"fault\":" + json(fault) + "}");
            }
        }
    }

    static int number(Map<String, String> given, String name) {
        return Integer.parseInt(given.getOrDefault(name, "0"));
    }

    /** Values as they are on the wire, in JSON; a record by its getters, which are named after its elements. */
    private static String json(Object value) throws Exception {
        if (value == null) return "null";
        if (value instanceof XMLGregorianCalendar date) return json(date.toGregorianCalendar().toInstant());
        if (value instanceof Calendar date) return json(date.toInstant());
        if (value instanceof Instant time) return json(time.truncatedTo(ChronoUnit.SECONDS).toString());
        if (value instanceof Object[] rows) return json(Arrays.asList(rows));
        if (value instanceof List<?> rows) {
            StringBuilder out = new StringBuilder();
            for (Object row : rows) out.append(out.isEmpty() ? "" : ",").append(json(row));
            return "[" + out + "]";
        }
        if (value instanceof Map<?, ?> map) {
            StringBuilder out = new StringBuilder();
            for (Map.Entry<?, ?> entry : map.entrySet())
                out.append(out.isEmpty() ? "" : ",").append(json(entry.getKey())).append(":").append(json(entry.getValue()));
            return "{" + out + "}";
        }
        if (isRecord(value)) return json(members(value));
        return "\"" + value.toString().replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }

    private static boolean isRecord(Object value) {
        String name = value.getClass().getName();
        return name.startsWith("mailroll.") && !name.endsWith(".DataType");
    }

    private static Map<String, Object> members(Object record) throws Exception {
        Map<String, Object> members = new LinkedHashMap<>();
        for (Method method : record.getClass().getDeclaredMethods()) {
            boolean isGetter = method.getName().matches("(get|is)[A-Z].*") && method.getParameterCount() == 0;
            if (isGetter && !Modifier.isStatic(method.getModifiers()))
                members.put(method.getName().replaceFirst("^(get|is)", ""), method.invoke(record));
        }
        return members;
    }
}
